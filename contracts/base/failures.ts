/**
 * Every way a request can be refused. A code is never renamed; `retryable` tells a client whether the same
 * request may succeed later without being changed. The README's table is checked against this catalogue.
 */
export const failures = {
  INVALID_REQUEST: failure(
    400,
    'The request does not fit the contract; `details.field` names the place.',
  ),
  UNAUTHENTICATED: failure(401, 'No token, or one this daemon does not know.'),
  LOGIN_CODE_INVALID: failure(401, 'The one-time dashboard code is unknown, used or too old.'),
  FORBIDDEN: failure(403, 'The token lacks the privilege this route asks for.'),
  HOST_NOT_ALLOWED: failure(403, 'The Host header names a host this daemon does not answer for.'),
  ORIGIN_NOT_ALLOWED: failure(403, 'A change carried by a cookie came from a foreign origin.'),
  AUTH_UNAVAILABLE: failure(503, 'No principal is configured, so every request is refused.', true),
  NOT_FOUND: failure(404, 'There is no such route or object.'),
  METHOD_NOT_ALLOWED: failure(405, 'The path exists, but not for this method.'),
  NOT_ACCEPTABLE: failure(
    406,
    'The route answers an event stream and the client does not accept one.',
  ),
  UNSUPPORTED_MEDIA_TYPE: failure(415, 'Bodies are JSON; send `content-type: application/json`.'),
  PAYLOAD_TOO_LARGE: failure(413, 'The body, or what it would add, is over its limit.'),
  RATE_LIMITED: failure(429, 'Too many requests from this token; wait for `retry-after`.', true),
  STREAM_LIMIT_REACHED: failure(429, 'This token holds as many event streams as it may.', true),
  ROUTE_GONE: failure(410, 'A deprecated route past its sunset; the message names its successor.'),
  IDEMPOTENCY_CONFLICT: failure(409, 'The same request id was used with a different body.'),
  SHUTTING_DOWN: failure(503, 'The daemon is stopping and takes no new work.', true),
  INTERNAL_ERROR: failure(500, 'A fault of ours; the log has it under the correlation id.', true),

  LEARN_SESSION_NOT_FOUND: failure(404, 'No such learn session for this user.'),
  LEARN_SESSION_ALREADY_ACTIVE: failure(409, 'The user already has a session under way.'),
  INVALID_LEARN_STATE_TRANSITION: failure(400, "The session's state does not allow this."),
  SESSION_TIMEOUT: failure(408, 'The session had been left too long and was moved on.'),
  CAPTURE_ALREADY_STOPPED: failure(409, 'Capture has already ended.'),
  ADAPTER_UNAVAILABLE: failure(
    503,
    'An observation adapter is missing, unhealthy or not yet offered.',
    true,
  ),
  OBSERVATION_EVENT_NOT_FOUND: failure(404, 'No such observed event in this session.'),
  OBSERVATION_CONSENT_REQUIRED: failure(403, 'Unmasked text needs the consent given at start.'),
  OBSERVATION_CONFIRMATION_REQUIRED: failure(
    403,
    'Observation outside the agent must be confirmed to be switched on.',
  ),
  MINING_OFF: failure(409, 'Mining is switched off; past runs are not looked through.'),
  INSUFFICIENT_TRACES: failure(400, 'Nothing was captured that a proposal could be drafted from.'),
  PROPOSAL_NOT_FOUND: failure(404, 'No such proposal for this user.'),
  QUESTION_NOT_FOUND: failure(404, 'No such question in this proposal.'),
  TEST_POLICY_VIOLATION: failure(400, 'The test policy contradicts itself or forbids this.'),
  CHECKPOINT_LINT_FAILED: failure(400, 'The checkpoints are not fit; `details.findings` says why.'),
  PRACTICE_GOAL_UNCLEAR: failure(
    400,
    'The end of this goal cannot be read from a screen; the message says what can.',
  ),
  PRACTICE_IN_PROGRESS: failure(409, 'The session is practising; wait, or stop it.', true),
  PRACTICE_NOT_FOUND: failure(404, 'The session has not practised.'),
  PRACTICE_ENDED: failure(409, 'The practice is already over.'),
  VALIDATION_IN_PROGRESS: failure(409, 'The draft is being tested; wait, or stop the run.', true),
  VALIDATION_RUN_NOT_FOUND: failure(404, 'No such test run of this proposal.'),
  VALIDATION_SETTLED: failure(409, 'The test run has already ended.'),
  DRAFT_CHANGED: failure(409, 'The draft is no longer the one that was looked at.'),
  DRAFT_FILE_NOT_FOUND: failure(404, 'The draft has no such file.'),
  DEPENDENCY_MISSING: failure(409, 'Something the skill cannot do without is not there.'),
  ABILITY_NOT_FOUND: failure(404, 'No such ability.'),
  ABILITY_UNUSABLE: failure(409, 'The ability cannot be used now; `details` says why.', true),
  ABILITY_VERSION_NOT_FOUND: failure(404, 'The ability has no such earlier version.'),
  ABILITY_RUN_NOT_FOUND: failure(404, 'No such run for this user.'),
  ABILITY_RUN_WITHOUT_TROUBLE: failure(409, 'The run did not go wrong, or is not over.'),
  INSTALL_LANE_DENIED: failure(403, 'The install lane is not open to this request.'),
  INSTALL_IN_PROGRESS: failure(409, 'The ability is being installed or removed.', true),
  INSTALL_NOT_FOUND: failure(404, 'No such installation for this user.'),
  MATERIALIZATION_FAILED: failure(500, 'The files of the skill could not be written.'),
  BRIDGE_REBUILD_FAILED: failure(500, 'The bridge could not be built; the last one stays.', true),
  CAPABILITY_NOT_FOUND: failure(404, 'No such capability.'),
  CAPABILITY_NOT_QUARANTINED: failure(409, 'The capability is not in quarantine.'),
  PROBE_UNAVAILABLE: failure(503, 'Nothing can be probed now; `details` says why.', true),
  AVAILABILITY_REFRESH_FAILED: failure(
    500,
    'It could not be worked out which abilities can be used; nothing was changed.',
    true,
  ),

  CATEGORY_NOT_FOUND: failure(404, 'No such category for this user.'),
  CATEGORY_LIMIT_REACHED: failure(409, 'As many categories, or items in one, as there may be.'),
  INTENT_REJECTED: failure(400, 'The configuration intent may not be applied.'),

  NO_DEVICES: failure(404, 'No device is connected.'),
  DEVICE_NOT_FOUND: failure(404, 'No such device has been seen.'),
  MULTIPLE_DEVICES_DEVICE_ID_REQUIRED: failure(400, 'Several devices are connected; name one.'),
  DEVICE_UNAUTHORIZED: failure(403, 'The phone waits for a person to allow this computer.'),
  DEVICE_OFFLINE: failure(
    503,
    'The device is listed but does not answer, or is not there now.',
    true,
  ),
  DEVICE_LOST: failure(503, 'The device went away in the middle; what it did is unknown.', true),
  DEVICE_TIMEOUT: failure(504, 'The device did not answer in time.', true),
  ADB_SERVER_FAILED: failure(503, 'No adb server answers.', true),
  SNAPSHOT_EXTRACTION_FAILED: failure(
    502,
    'The screen could not be read; `details.kind` says why.',
    true,
  ),
  DEVICE_LEASED: failure(423, 'Somebody else has the device for a while.', true),
  LEASE_NOT_FOUND: failure(404, 'The caller holds no such lease.'),
  EXECUTION_VALIDATION_FAILED: failure(
    400,
    'The payload is wrong; `details.path` names the place.',
  ),
  EXECUTION_ACTION_UNSUPPORTED: failure(400, 'An action of a type that does not exist.'),
  EXECUTION_NOT_FOUND: failure(404, 'No such execution for this user.'),
  EXECUTION_SETTLED: failure(409, 'The execution has already ended.'),
  EXECUTION_WITHOUT_EVIDENCE: failure(
    409,
    'Nothing was kept of this execution that could be learned from; `details.reason` says why.',
  ),
  EXECUTION_NOT_SUCCESSFUL: failure(409, 'Only what went well can be learned from.'),
  SKILL_IMPORT_NOT_FOUND: failure(404, 'No such import for this user.'),
  SKILL_IMPORT_UPLOAD_NOT_FOUND: failure(404, 'No such upload for this user.'),
  SKILL_IMPORT_UPLOAD_EXPIRED: failure(410, 'The upload was kept for 24 hours; send it again.'),
  SKILL_IMPORT_UPLOAD_IN_USE: failure(
    409,
    'The upload is being scanned, staged or installed.',
    true,
  ),
  SKILL_IMPORT_FILE_TOO_LARGE: failure(413, 'A bundle has at most 100 MB.'),
  SKILL_IMPORT_UNSUPPORTED_MIME: failure(415, 'A bundle is sent as application/zip.'),
  SKILL_IMPORT_UNSUPPORTED_EXTENSION: failure(415, 'The name of a bundle ends in .zip.'),
  SKILL_IMPORT_ARCHIVE_REQUIRED: failure(400, 'The part `bundle` is missing, empty or no zip.'),
  SKILL_IMPORT_INVALID_STATE: failure(409, 'The state of the import does not allow this.'),
  SKILL_IMPORT_NOT_COMPATIBLE: failure(409, 'The scan found errors; the report has them.'),
  SKILL_IMPORT_COLLISION: failure(409, 'A name of the bundle is taken.'),
  SKILL_IMPORT_ADAPTER_REQUIRED: failure(
    409,
    'The skill needs an adapter before others may use it.',
  ),
  SKILL_IMPORT_PACK_UNKNOWN: failure(400, 'There is no such skill pack.'),
  SKILL_IMPORT_STAGE_FAILED: failure(500, 'The bundle could not be unpacked.', true),
  SKILL_IMPORT_INSTALL_FAILED: failure(500, 'The bundle could not be installed.', true),
  ABILITY_NOT_PORTABLE: failure(409, 'The ability has no files of its own that could be exported.'),
  RECIPE_INVALID: failure(400, 'The recipe breaks its rules; `details.violations` has them all.'),
  RECIPE_INPUT_MISSING: failure(400, 'A required input has no value; `details.input` names it.'),
  RECIPE_INPUT_INVALID: failure(400, 'An input is not declared, or not of its type.'),
  COMPILE_VARS_PARSE_FAILED: failure(400, 'A variable of a template is no plain value.'),
  COMPILE_VAR_MISSING: failure(400, 'A variable of a template has no value.'),
  COMPILE_VALIDATION_FAILED: failure(400, 'What a template makes is no execution.'),
  POLICY_DENIED: failure(403, 'The policy does not allow the capabilities or packages it needs.'),
  SKILL_NOT_FOUND: failure(404, 'No registry has such a skill.'),
  SKILL_VALIDATION_FAILED: failure(422, 'The skill is not whole; `details` says what is wrong.'),
  SKILL_SCRIPT_NOT_FOUND: failure(404, 'The skill lists no script, or it is not there.'),
  SKILL_AGENT_CLI_UNAVAILABLE: failure(
    424,
    'The agent that should run the skill is not installed.',
  ),
  SKILL_RUN_NOT_FOUND: failure(404, 'No such run of a skill for this user.'),
  SKILL_RUN_SETTLED: failure(409, 'The run of the skill is already over.'),
  RECORDING_ALREADY_IN_PROGRESS: failure(409, 'The device is being recorded already.'),
  RECORDING_NOT_IN_PROGRESS: failure(409, 'The recording has already ended.'),
  RECORDING_SESSION_NOT_FOUND: failure(404, 'No such recording of this device.'),
  RECORDING_PARSE_FAILED: failure(
    400,
    'The recording is not well formed; the message names the line.',
  ),
  RECORDING_SCHEMA_VERSION_UNSUPPORTED: failure(
    400,
    'A recording of a version this daemon does not know.',
  ),
  RECORDING_COMPARE_FAILED: failure(400, 'The recording or the result cannot be compared.'),
  RECORDING_START_FAILED: failure(502, 'The device cannot be recorded this way.', true),
  BASELINE_NOT_FOUND: failure(
    404,
    'No such reading of this device is kept; take a snapshot first.',
  ),
  LOGCAT_UNAVAILABLE: failure(502, 'The device did not hand out its log.', true),
  DIAGNOSTICS_NOT_ALLOWED: failure(
    409,
    'Logs and traffic may not be looked at before the screen was.',
  ),

  REGISTRY_READ_FAILED: failure(500, 'The registry of a skill root could not be read.'),
  SKILL_ID_INVALID: failure(400, 'The id cannot be that of a new skill.'),
  SKILL_ALREADY_EXISTS: failure(409, 'There is a skill, or a folder, of that name.'),
  SKILLS_SCAFFOLD_FAILED: failure(400, 'The folder of the skill could not be made.'),
  ARTIFACT_NOT_FOUND: failure(404, 'The skill has no such artifact.'),
  RECIPE_COMPAT_OUT_OF_RANGE: failure(
    409,
    'The app on the device is not of a version the recipe was made for.',
  ),

  TOKEN_NOT_FOUND: failure(404, 'No such token.'),
} as const satisfies Record<string, FailureFacts>

export type FailureCode = keyof typeof failures

export interface FailureFacts {
  readonly status: number
  readonly retryable: boolean
  readonly meaning: string
}

function failure(status: number, meaning: string, retryable = false): FailureFacts {
  return { status, retryable, meaning }
}
