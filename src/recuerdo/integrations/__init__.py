"""The interfaces of other frameworks over Recuerdo; each module needs the framework that it is named after."""
