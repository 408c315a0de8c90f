// Made by scripts/client_types.py from the OpenAPI document: change the server, and run it again.

/** The root of all errors that Recuerdo raises deliberately. */
export class RecuerdoError extends Error {
  /** The HTTP status, if a server has told the error. */
  status?: number;

  override get name(): string {
    return this.constructor.name;
  }
}

/** The caller's input is invalid. `field` names the part at fault, `problem` says what is wrong with it. */
export class InvalidInput extends RecuerdoError {
  /** The part at fault, such as `messages[0].role`. */
  field = "request";
  /** What is wrong with it. */
  problem = "";

  static of(field: string, problem: string): InvalidInput {
    return Object.assign(new InvalidInput(`${field}: ${problem}`), { field, problem });
  }
}

/** A window's limit can't hold the system message, which every window must keep. */
export class BudgetTooSmall extends InvalidInput {}

/** The thread has had no run yet, so it has no graph that defines its state. */
export class NoGraph extends InvalidInput {}

/** The credential is missing (`is_missing`) or invalid. */
export class Unauthenticated extends RecuerdoError {}

/** The caller's role doesn't allow the request. Another owner's data is NotFound instead. */
export class Forbidden extends RecuerdoError {}

/** The object doesn't exist for this owner. Another owner's object looks the same. */
export class NotFound extends RecuerdoError {}

/** The request contradicts what is stored; nothing was changed. */
export class Conflict extends RecuerdoError {}

/** The idempotency key was used before in this thread with another body. */
export class IdempotencyConflict extends Conflict {}

/** A message with this id is already in the thread. */
export class DuplicateMessage extends Conflict {}

/** The target of a fork is taken. */
export class ThreadExists extends Conflict {}

/** The request can't be fulfilled while a run is executing on the thread. */
export class ThreadBusy extends Conflict {}

/** An object with this id already exists. */
export class AlreadyExists extends Conflict {}

/** The lease of a run has expired: another process has taken the run over, or it has ended. */
export class LeaseLost extends Conflict {}

/** The thread was cleared or erased since the caller read it: a late write must not revive it. */
export class EpochChanged extends Conflict {}

/** The user was erased while the request was in progress, so nothing of it is stored. */
export class UserErased extends Conflict {}

/** The append was stored before, and its thread was cleared or deleted since: it is not stored again. */
export class AlreadyErased extends Conflict {}

/** A service that Recuerdo needs doesn't answer. Try again after `retry_after` seconds. */
export class Unavailable extends RecuerdoError {
  /** The seconds to wait before another attempt. */
  retryAfter = 0;
}

/** The database can't be reached, or is locked or full. Nothing was stored, unless it is an OutcomeUnknown. */
export class DatabaseUnavailable extends Unavailable {}

/** The reply to a write was lost, so it is unknown whether it was stored. */
export class OutcomeUnknown extends DatabaseUnavailable {}

/** The spool of durability `async` can't store the append, which is lost. */
export class SpoolUnavailable extends Unavailable {}

/** The shared cache doesn't answer in time. Reads continue without it. */
export class CacheUnavailable extends Unavailable {}

/** The caller has used up a limit of the server, and nothing was done. */
export class RateLimited extends Unavailable {}

/** The issuer's signing keys can't be fetched, and none are known from an earlier answer. */
export class IssuerUnavailable extends Unavailable {}

/** An agent's configuration can't be fetched, and is not known from an earlier answer. */
export class AgentsUnavailable extends Unavailable {}

/** The chat model or the embedding model does not answer. */
export class ModelUnavailable extends Unavailable {}

/** No worker has begun with what was handed over, and it was taken back. */
export class WorkerUnavailable extends Unavailable {}

/** Stored data is not what was written: a disk failed, or the row was changed outside Recuerdo. */
export class Damaged extends RecuerdoError {}

/** A stored message that is not what was appended. `thread`, `epoch` and `seq` name its row. */
export class DamagedMessage extends Damaged {}

/** Another stored row that can't be read: `what` is its kind, `identifier` its id. */
export class DamagedRow extends Damaged {}

/** A text is encrypted with a data key that the database does not have: the tenant was erased, and the text is lost. */
export class DataKeyMissing extends Damaged {}

/** The database can't read its own files, or not all of them. */
export class DamagedDatabase extends Damaged {}

/** Settings that can't work. */
export class ConfigurationError extends RecuerdoError {}

/** An extra is not installed. */
export class MissingExtra extends ConfigurationError {}

/** The error of each code. */
export const BY_CODE: Readonly<
  Record<string, new (message: string, options?: ErrorOptions) => RecuerdoError>
> = {
  internal_error: RecuerdoError,
  invalid_input: InvalidInput,
  budget_too_small: BudgetTooSmall,
  no_graph: NoGraph,
  unauthenticated: Unauthenticated,
  forbidden: Forbidden,
  not_found: NotFound,
  conflict: Conflict,
  idempotency_conflict: IdempotencyConflict,
  duplicate_message: DuplicateMessage,
  thread_exists: ThreadExists,
  thread_busy: ThreadBusy,
  already_exists: AlreadyExists,
  lease_lost: LeaseLost,
  epoch_changed: EpochChanged,
  user_erased: UserErased,
  already_erased: AlreadyErased,
  unavailable: Unavailable,
  database_unavailable: DatabaseUnavailable,
  outcome_unknown: OutcomeUnknown,
  spool_unavailable: SpoolUnavailable,
  cache_unavailable: CacheUnavailable,
  rate_limited: RateLimited,
  issuer_unavailable: IssuerUnavailable,
  agents_unavailable: AgentsUnavailable,
  model_unavailable: ModelUnavailable,
  worker_unavailable: WorkerUnavailable,
  damaged: Damaged,
  damaged_message: DamagedMessage,
  damaged_row: DamagedRow,
  data_key_missing: DataKeyMissing,
  damaged_database: DamagedDatabase,
  configuration_error: ConfigurationError,
  missing_extra: MissingExtra,
};
