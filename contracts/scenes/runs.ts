import { z } from 'zod'
import { requestBody, SchemaVersion, strictRequestBody, Uuid } from '../base/fields.ts'
import { RunEvent } from '../base/events.ts'
import { PageQuery, pageFields } from '../base/page.ts'
import { route } from '../base/route.ts'
import { callerPolicyFields } from '../policy/profile.ts'
import { ReportFormat } from './artifact.ts'
import { MAX_INSTRUCTION, PageContext } from './dispatch.ts'
import { SceneDomain, SceneId, SceneParamName } from './manifest.ts'
import { SceneProfile, SceneProfileName, SceneRun, SceneRunState } from './run.ts'

const TAG = 'scenes'
const runParams = z.object({ runId: Uuid })
const runReply = z.object({ run: SceneRun, schema_version: SchemaVersion })

export const startSceneRun = route({
  method: 'POST',
  url: '/api/scenes/runs',
  tag: TAG,
  summary: 'Run a scene, by an instruction or by its id; 200 if it ends within wait_ms, otherwise 202',
  privilege: 'write',
  body: requestBody({
    instruction: z.string().min(1).max(MAX_INSTRUCTION).optional().describe('Or scene_id; exactly one of both'),
    page: PageContext.optional().describe('The page that the user looks at'),
    scene_id: SceneId.optional(),
    inputs: z
      .record(SceneParamName, z.string().max(MAX_INSTRUCTION))
      .optional()
      .describe('With scene_id: a text per parameter, which is resolved like the words of an instruction'),
    profile: SceneProfileName.optional().describe(
      'The sign-in to use; default: the one called default, if there is one',
    ),
    timeout_ms: z.int().min(1000).max(900_000).optional().describe('Default: two minutes'),
    wait_ms: z.int().min(0).max(600_000).default(0),
    ...callerPolicyFields,
  }),
  reply: runReply,
  pending_status: 202,
  fails: [
    'SCENE_NOT_FOUND',
    'SCENE_NOT_PLANNED',
    'SCENE_PROFILE_NOT_FOUND',
    'SCENE_BROWSER_MISSING',
    'POLICY_DENIED',
    'ABILITY_UNUSABLE',
  ],
})

export const listSceneRuns = route({
  method: 'GET',
  url: '/api/scenes/runs',
  tag: TAG,
  summary: "List the user's runs of scenes, newest first",
  privilege: 'read',
  query: PageQuery.extend({ scene_id: SceneId.optional(), state: SceneRunState.optional() }),
  reply: z.object({ runs: z.array(SceneRun), ...pageFields, schema_version: SchemaVersion }),
})

export const getSceneRun = route({
  method: 'GET',
  url: '/api/scenes/runs/:runId',
  tag: TAG,
  summary: 'Get a run of a scene, with its outcome once it has ended',
  privilege: 'read',
  params: runParams,
  reply: runReply,
  fails: ['SCENE_RUN_NOT_FOUND'],
})

export const cancelSceneRun = route({
  method: 'POST',
  url: '/api/scenes/runs/:runId/cancel',
  tag: TAG,
  summary: 'Cancel a run; its page is closed',
  privilege: 'write',
  params: runParams,
  body: requestBody({}),
  reply: runReply,
  fails: ['SCENE_RUN_NOT_FOUND', 'SCENE_RUN_SETTLED'],
})

export const streamSceneRunEvents = route({
  method: 'GET',
  url: '/api/scenes/runs/:runId/events',
  tag: TAG,
  summary: 'Stream the events of a run, replayed from Last-Event-ID',
  privilege: 'read',
  params: runParams,
  query: z.object({ last_event_id: z.string().max(40).optional() }),
  reply: RunEvent,
  stream: true,
  fails: ['SCENE_RUN_NOT_FOUND', 'STREAM_LIMIT_REACHED', 'NOT_ACCEPTABLE'],
})

export const getSceneReport = route({
  method: 'GET',
  url: '/api/scenes/runs/:runId/report',
  tag: TAG,
  summary: 'Download the report of a run as .xlsx, CSV or JSON; it is deleted after seven days',
  privilege: 'read',
  params: runParams,
  query: z.object({ format: ReportFormat.default('xlsx') }),
  reply: z.any(),
  media: 'application/octet-stream',
  fails: ['SCENE_RUN_NOT_FOUND', 'SCENE_REPORT_NOT_FOUND'],
})

const MAX_STATE_LENGTH = 900_000

/** Cookies and local storage, as browsers are automated with them. */
const StorageState = z.object({
  cookies: z
    .array(z.object({ name: z.string(), value: z.string(), domain: z.string(), path: z.string() }).loose())
    .max(2000),
  origins: z
    .array(z.object({ origin: z.string(), localStorage: z.array(z.object({ name: z.string(), value: z.string() })) }))
    .max(200),
})

export const putSceneProfile = route({
  method: 'PUT',
  url: '/api/scenes/profiles',
  tag: TAG,
  summary: 'Store the sign-in of the user to a domain, encrypted; what it consists of is never returned',
  privilege: 'write',
  body: strictRequestBody({
    domain: SceneDomain,
    name: SceneProfileName.default('default'),
    storage_state: StorageState.refine(
      (state) => JSON.stringify(state).length <= MAX_STATE_LENGTH,
      `must have at most ${MAX_STATE_LENGTH} characters`,
    ),
  }),
  reply: z.object({ profile: SceneProfile, schema_version: SchemaVersion }),
})

export const listSceneProfiles = route({
  method: 'GET',
  url: '/api/scenes/profiles',
  tag: TAG,
  summary: "List the user's sign-ins to domains",
  privilege: 'read',
  reply: z.object({ profiles: z.array(SceneProfile), schema_version: SchemaVersion }),
})

export const deleteSceneProfile = route({
  method: 'DELETE',
  url: '/api/scenes/profiles/:profileId',
  tag: TAG,
  summary: 'Delete a sign-in',
  privilege: 'write',
  params: z.object({ profileId: Uuid }),
  reply: z.object({ profile_id: Uuid, deleted: z.literal(true), schema_version: SchemaVersion }),
  fails: ['SCENE_PROFILE_NOT_FOUND'],
})
