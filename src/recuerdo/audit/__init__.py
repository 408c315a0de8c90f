"""The audit log: who did what, for those who answer for a tenant."""

from recuerdo.audit.log import AuditLog, AuditPage

__all__ = ["AuditLog", "AuditPage"]
