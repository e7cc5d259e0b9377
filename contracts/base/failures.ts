/**
 * The catalogue of failures. Codes are never renamed. `retryable` means that the same request may succeed later without
 * changes. `openapi/failures.md` is generated from this catalogue.
 */
export const FAILURES = {
  INVALID_REQUEST: define(
    400,
    'The request does not match the contract; `details.field` names the invalid field.',
  ),
  UNAUTHENTICATED: define(401, 'The request has no token, or the token is unknown or revoked.'),
  LOGIN_CODE_INVALID: define(401, 'The one-time dashboard code is unknown, used or expired.'),
  FORBIDDEN: define(403, 'The token does not have the privilege that this route requires.'),
  HOST_NOT_ALLOWED: define(403, 'The Host header names a host that is not allowed.'),
  ORIGIN_NOT_ALLOWED: define(
    403,
    'A write request with cookie authentication came from another origin.',
  ),
  AUTH_UNAVAILABLE: define(503, 'No principal is configured, so every request is refused.', true),
  NOT_FOUND: define(404, 'The route or object does not exist.'),
  METHOD_NOT_ALLOWED: define(405, 'The path does not support this method.'),
  NOT_ACCEPTABLE: define(
    406,
    'The route returns an event stream, and the client does not accept `text/event-stream`.',
  ),
  UNSUPPORTED_MEDIA_TYPE: define(
    415,
    'The body must be JSON; send `content-type: application/json`.',
  ),
  PAYLOAD_TOO_LARGE: define(413, 'The body, or the data it would add, exceeds its limit.'),
  RATE_LIMITED: define(429, 'Too many requests from this token; wait for `retry-after`.', true),
  STREAM_LIMIT_REACHED: define(
    429,
    'The token has the maximum number of open event streams.',
    true,
  ),
  ROUTE_GONE: define(
    410,
    'The route was removed after its sunset date; the message names its successor.',
  ),
  IDEMPOTENCY_CONFLICT: define(409, 'The same request id was used with a different body.'),
  SHUTTING_DOWN: define(503, 'The daemon is stopping and accepts no new requests.', true),
  INTERNAL_ERROR: define(
    500,
    'An internal error; the log contains it with the correlation id.',
    true,
  ),

  LEARN_SESSION_NOT_FOUND: define(404, 'The user has no such learn session.'),
  LEARN_SESSION_ALREADY_ACTIVE: define(409, 'The user already has an active session.'),
  INVALID_LEARN_STATE_TRANSITION: define(
    400,
    'The state of the session does not allow this operation.',
  ),
  SESSION_TIMEOUT: define(
    408,
    'The session exceeded its time limit and was moved to its next state.',
  ),
  CAPTURE_ALREADY_STOPPED: define(409, 'Capture has already ended.'),
  ADAPTER_UNAVAILABLE: define(
    503,
    'An observation adapter is missing, unhealthy or not available yet.',
    true,
  ),
  OBSERVATION_EVENT_NOT_FOUND: define(404, 'The session has no such observed event.'),
  OBSERVATION_CONSENT_REQUIRED: define(
    403,
    'Unmasked text requires the consent given when capture starts.',
  ),
  OBSERVATION_CONFIRMATION_REQUIRED: define(
    403,
    'Enabling observation outside the agent requires `confirm_observe_outside`.',
  ),
  MINING_OFF: define(409, 'Mining is disabled; past runs are not scanned.'),
  INSUFFICIENT_TRACES: define(400, 'The session has no captured actions to draft a proposal from.'),
  PROPOSAL_NOT_FOUND: define(404, 'The user has no such proposal.'),
  QUESTION_NOT_FOUND: define(404, 'The proposal has no such question.'),
  TEST_POLICY_VIOLATION: define(
    400,
    'The test policy is contradictory or does not allow this operation.',
  ),
  CHECKPOINT_LINT_FAILED: define(
    400,
    'The checkpoints have errors; `details.findings` lists them.',
  ),
  PRACTICE_GOAL_UNCLEAR: define(
    400,
    'The result of this goal cannot be verified on a screen; the message lists the supported goals.',
  ),
  PRACTICE_IN_PROGRESS: define(
    409,
    'A practice is running in this session; wait for its end or cancel it.',
    true,
  ),
  PRACTICE_NOT_FOUND: define(404, 'The session has no practice.'),
  PRACTICE_ENDED: define(409, 'The practice has already ended.'),
  VALIDATION_IN_PROGRESS: define(
    409,
    'The draft is being tested; wait for the end of the test run or cancel it.',
    true,
  ),
  VALIDATION_RUN_NOT_FOUND: define(404, 'The proposal has no such test run.'),
  VALIDATION_SETTLED: define(409, 'The test run has already ended.'),
  DRAFT_CHANGED: define(409, 'The draft has changed since it was reviewed.'),
  DRAFT_FILE_NOT_FOUND: define(404, 'The draft has no such file.'),
  DEPENDENCY_MISSING: define(409, 'A required dependency of the skill is missing.'),
  ABILITY_NOT_FOUND: define(404, 'The ability does not exist.'),
  ABILITY_UNUSABLE: define(
    409,
    'The ability cannot be used now; `details` contains the reason.',
    true,
  ),
  ABILITY_VERSION_NOT_FOUND: define(404, 'The ability has no such earlier version.'),
  ABILITY_RUN_NOT_FOUND: define(404, 'The user has no such ability run.'),
  ABILITY_RUN_WITHOUT_TROUBLE: define(409, 'The run did not fail, or has not ended yet.'),
  INSTALL_LANE_DENIED: define(403, 'The request may not use this install lane.'),
  INSTALL_IN_PROGRESS: define(409, 'The ability is being installed or removed.', true),
  INSTALL_NOT_FOUND: define(404, 'The user has no such installation.'),
  MATERIALIZATION_FAILED: define(500, 'The files of the skill could not be written.'),
  BRIDGE_REBUILD_FAILED: define(
    500,
    'The bridge could not be rebuilt; the previous one stays active.',
    true,
  ),
  CAPABILITY_NOT_FOUND: define(404, 'The capability does not exist.'),
  CAPABILITY_NOT_QUARANTINED: define(409, 'The capability is not in quarantine.'),
  PROBE_UNAVAILABLE: define(
    503,
    'The capability cannot be probed now; `details` contains the reason.',
    true,
  ),
  AVAILABILITY_REFRESH_FAILED: define(
    500,
    'The availability of abilities could not be computed; nothing was changed.',
    true,
  ),

  CATEGORY_NOT_FOUND: define(404, 'The user has no such category.'),
  CATEGORY_LIMIT_REACHED: define(
    409,
    'The maximum number of categories, or of items in a category, is reached.',
  ),
  INTENT_REJECTED: define(400, 'The configuration intent was rejected.'),

  NO_DEVICES: define(404, 'No device is connected.'),
  DEVICE_NOT_FOUND: define(404, 'The device is unknown.'),
  MULTIPLE_DEVICES_DEVICE_ID_REQUIRED: define(400, 'Several devices are connected; set `serial`.'),
  DEVICE_UNAUTHORIZED: define(
    403,
    'The phone has not authorized this computer; confirm USB debugging on the phone.',
  ),
  DEVICE_OFFLINE: define(503, 'The device is known but offline or not connected.', true),
  DEVICE_LOST: define(
    503,
    'The device was disconnected during an operation; its effect is unknown.',
    true,
  ),
  DEVICE_TIMEOUT: define(504, 'The device did not respond in time.', true),
  ADB_SERVER_FAILED: define(503, 'The adb server does not respond.', true),
  SNAPSHOT_EXTRACTION_FAILED: define(
    502,
    'The screen could not be read; `details.kind` contains the reason.',
    true,
  ),
  DEVICE_LEASED: define(423, 'Another user holds a lease on the device.', true),
  LEASE_NOT_FOUND: define(404, 'The caller has no such lease.'),
  EXECUTION_VALIDATION_FAILED: define(
    400,
    'The payload is invalid; `details.path` names the invalid field.',
  ),
  EXECUTION_ACTION_UNSUPPORTED: define(400, 'The payload contains an action of an unknown type.'),
  EXECUTION_NOT_FOUND: define(404, 'The user has no such execution.'),
  EXECUTION_SETTLED: define(409, 'The execution has already ended.'),
  EXECUTION_WITHOUT_EVIDENCE: define(
    409,
    'No evidence of this execution is stored to learn from; `details.reason` contains the reason.',
  ),
  EXECUTION_NOT_SUCCESSFUL: define(409, 'Only a successful execution can be learned from.'),
  SKILL_IMPORT_NOT_FOUND: define(404, 'The user has no such import.'),
  SKILL_IMPORT_UPLOAD_NOT_FOUND: define(404, 'The user has no such upload.'),
  SKILL_IMPORT_UPLOAD_EXPIRED: define(
    410,
    'The upload expired after 24 hours; upload the bundle again.',
  ),
  SKILL_IMPORT_UPLOAD_IN_USE: define(
    409,
    'The upload is being scanned, staged or installed.',
    true,
  ),
  SKILL_IMPORT_FILE_TOO_LARGE: define(413, 'The bundle is larger than 100 MB.'),
  SKILL_IMPORT_UNSUPPORTED_MIME: define(
    415,
    'The bundle must have the content type application/zip.',
  ),
  SKILL_IMPORT_UNSUPPORTED_EXTENSION: define(
    415,
    'The file name of the bundle must end with .zip.',
  ),
  SKILL_IMPORT_ARCHIVE_REQUIRED: define(
    400,
    'The part `bundle` is missing, empty or not a zip archive.',
  ),
  SKILL_IMPORT_INVALID_STATE: define(409, 'The state of the import does not allow this operation.'),
  SKILL_IMPORT_NOT_COMPATIBLE: define(
    409,
    'The scan found errors; the compatibility report lists them.',
  ),
  SKILL_IMPORT_COLLISION: define(409, 'A name in the bundle is already in use.'),
  SKILL_IMPORT_ADAPTER_REQUIRED: define(
    409,
    'The skill requires an adapter before it can be shared.',
  ),
  SKILL_IMPORT_PACK_UNKNOWN: define(400, 'The skill pack does not exist.'),
  SKILL_IMPORT_STAGE_FAILED: define(500, 'The bundle could not be unpacked.', true),
  SKILL_IMPORT_INSTALL_FAILED: define(500, 'The bundle could not be installed.', true),
  ABILITY_NOT_PORTABLE: define(409, 'The ability has no files that can be exported.'),
  RECIPE_INVALID: define(400, 'The recipe is invalid; `details.violations` lists all violations.'),
  RECIPE_INPUT_MISSING: define(400, 'A required input has no value; `details.input` names it.'),
  RECIPE_INPUT_INVALID: define(400, 'An input is not declared or has the wrong type.'),
  COMPILE_VARS_PARSE_FAILED: define(400, 'A template variable is not a string, number or boolean.'),
  COMPILE_VAR_MISSING: define(400, 'A template variable has no value.'),
  COMPILE_VALIDATION_FAILED: define(400, 'The compiled template is not a valid execution.'),
  POLICY_DENIED: define(403, 'The policy does not allow a required capability or package.'),
  SKILL_NOT_FOUND: define(404, 'The skill is in no registry.'),
  SKILL_VALIDATION_FAILED: define(422, 'The skill is invalid; `details` lists the problems.'),
  SKILL_SCRIPT_NOT_FOUND: define(404, 'The skill has no script, or its script file is missing.'),
  SKILL_AGENT_CLI_UNAVAILABLE: define(
    424,
    'The agent program that runs the skill is not installed.',
  ),
  SKILL_RUN_NOT_FOUND: define(404, 'The user has no such skill run.'),
  SKILL_RUN_SETTLED: define(409, 'The skill run has already ended.'),
  RECORDING_ALREADY_IN_PROGRESS: define(409, 'A recording of the device is already in progress.'),
  RECORDING_NOT_IN_PROGRESS: define(409, 'The recording has already ended.'),
  RECORDING_SESSION_NOT_FOUND: define(404, 'The device has no such recording.'),
  RECORDING_PARSE_FAILED: define(
    400,
    'The recording cannot be parsed; the message names the line.',
  ),
  RECORDING_SCHEMA_VERSION_UNSUPPORTED: define(
    400,
    'The schema version of the recording is not supported.',
  ),
  RECORDING_COMPARE_FAILED: define(
    400,
    'The recording or the result is invalid and cannot be compared.',
  ),
  RECORDING_START_FAILED: define(502, 'The recording could not be started on the device.', true),
  BASELINE_NOT_FOUND: define(
    404,
    'The reading of this device is not stored; take a snapshot first.',
  ),
  LOGCAT_UNAVAILABLE: define(502, 'The log of the device could not be read.', true),
  DIAGNOSTICS_NOT_ALLOWED: define(
    409,
    'Diagnostics may be read once, and only if the screen cannot verify the result.',
  ),

  REGISTRY_READ_FAILED: define(500, 'The registry of a skill root could not be read.'),
  SKILL_ID_INVALID: define(400, 'The id is not valid for a new skill.'),
  SKILL_ALREADY_EXISTS: define(409, 'A skill or folder with that name already exists.'),
  SKILLS_SCAFFOLD_FAILED: define(400, 'The folder of the skill could not be created.'),
  ARTIFACT_NOT_FOUND: define(404, 'The skill has no such artifact.'),
  RECIPE_COMPAT_OUT_OF_RANGE: define(
    409,
    'The app version on the device is not in the range that the recipe supports.',
  ),

  TOKEN_NOT_FOUND: define(404, 'The token does not exist.'),
} as const satisfies Record<string, FailureFacts>

export type FailureCode = keyof typeof FAILURES

export interface FailureFacts {
  readonly status: number
  readonly retryable: boolean
  readonly meaning: string
}

function define(status: number, meaning: string, retryable = false): FailureFacts {
  return { status, retryable, meaning }
}
