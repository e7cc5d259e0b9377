import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import {
  type AbilityRun,
  cancelAbilityRun,
  getAbilityRun,
  improveFromRun,
  listAbilityRuns,
  listUseReceipts,
  runAbility,
  streamRunEvents,
} from '@apprentice/contracts/abilities/runs.ts'
import { getRunFigures, listOwnRuns } from '@apprentice/contracts/abilities/run-figures.ts'
import { getVisibleAbility } from '../../domain/abilities/visibility.ts'
import { chooseDevice } from '../../domain/devices/executions.ts'
import { findCurrentRecipe } from '../../domain/abilities/current-recipe.ts'
import { improveFromRun as improve } from '../../domain/runs/improve-from-run.ts'
import { findCurrentExecution, requestCancel } from '../../domain/runs/cancel-run.ts'
import { formatRunSubject } from '../../domain/runs/queue-part.ts'
import { getOwnRun, isSettled, toDetailedRun, toPublicRun } from '../../domain/runs/run-view.ts'
import { buildRunFigures } from '../../domain/runs/run-figures.ts'
import { compileItems, findVersionedApp } from '../../domain/runs/compile-items.ts'
import { startRun } from '../../domain/runs/start-run.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { mountStream } from '../../http/event-stream-routes.ts'
import { createSubjectSource } from '../../live/source.ts'
import type { Reader } from '../../store/db/db.ts'
import * as store from '../../store/runs/ability-runs.ts'
import { toPublicSession } from '../../store/sessions/learn-sessions.ts'
import { listOwnUseReceipts } from '../../store/runs/use-receipts.ts'
import type { System } from '../../daemon/system.ts'
import { startSceneAbility } from './scene-runs.ts'

export function abilityRunRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs, config, hub, liveScreens, clock } = system
  const on = mountContract(app)
  const readRun = (id: string, userId: string): AbilityRun =>
    commands.read((reader) => toDetailedRun(reader, getOwnRun(reader, id, userId)))

  on(runAbility)(async (request, reply) => {
    const { wait_ms, ...body } = request.body
    const sceneRunId = await startSceneAbility(system, request)
    const run_id = sceneRunId ?? (await startRecipe(system, request, body))
    if (wait_ms > 0) await waitForRun(system, run_id, wait_ms)
    const run = readRun(run_id, request.caller.user_id)
    void reply.code(run.settled_at === undefined ? 202 : 200)
    return { run, schema_version: 1 }
  })
  on(listAbilityRuns)(({ caller, params, query }) =>
    commands.read((reader) => {
      getVisibleAbility(reader, params.abilityId, caller.user_id)
      return listRuns(reader, caller.user_id, { ...query, ability_id: params.abilityId })
    }),
  )

  on(listOwnRuns)(({ caller, query }) => commands.read((reader) => listRuns(reader, caller.user_id, query)))

  on(getRunFigures)(({ caller, query }) =>
    commands.read((reader) => buildRunFigures(reader, { owner: caller.user_id, now: clock(), ...query })),
  )

  on(getAbilityRun)(({ caller, params }) => ({
    run: readRun(params.runId, caller.user_id),
    schema_version: 1,
  }))

  on(cancelAbilityRun)((request) =>
    commands.commandOnce(request, async () => {
      const { runId } = request.params
      const execution = await commands.write(request, (ctx) => findCurrentExecution(ctx.tx, requestCancel(ctx, runId)))
      const isCancelled = await jobs.cancel(execution)
      if (!isCancelled && readRun(runId, request.caller.user_id).settled_at !== undefined) {
        throw new Failure('EXECUTION_SETTLED', 'The run has already ended.')
      }
      await waitForRun(system, runId, CANCEL_WAIT_MS)
      return { run: readRun(runId, request.caller.user_id), schema_version: 1 as const }
    }),
  )

  mountStream(app, streamRunEvents, {
    hub,
    liveScreens,
    config,
    find: async (request, read) => {
      const { runId } = (request as RequestContext<{ runId: string }>).params
      return commands.read((reader) => {
        getOwnRun(reader, runId, request.caller.user_id)
        return read(
          reader,
          createSubjectSource(
            formatRunSubject(runId),
            (now) => store.findAbilityRun(now, runId)?.settled_at !== undefined,
          ),
        )
      })
    },
  })

  on(improveFromRun)((request) =>
    commands.command(request, (ctx) => {
      const rules = {
        rule: config.settings.learn.concurrency,
        salt: randomBytes(16).toString('hex'),
      }
      const { session, drift } = improve(ctx, request.params.runId, rules)
      return { session: toPublicSession(session), drift, schema_version: 1 as const }
    }),
  )

  on(listUseReceipts)(({ caller, query }) => {
    const { cursor, capability_id, limit } = query
    const found = commands.read((reader) =>
      listOwnUseReceipts(reader, caller.user_id, {
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(capability_id === undefined ? {} : { capability_id }),
      }),
    )
    const last = found.length === limit ? found.at(-1)?.position : undefined
    return {
      receipts: found.map(({ entry }) => entry),
      ...(last === undefined ? {} : { next_cursor: last }),
      schema_version: 1,
    }
  })
}

type RecipeRun = Omit<z.output<(typeof runAbility)['body']>, 'wait_ms'>

/** Starts the run of an ability that was taught on a phone, and returns its id. */
async function startRecipe(
  system: System,
  request: RequestContext<{ readonly abilityId: string }, unknown, z.output<(typeof runAbility)['body']>>,
  body: RecipeRun,
): Promise<string> {
  const { commands } = system
  const app_version_code = await readAppVersion(system, request)
  const asked = { ...body, app_version_code }
  const { user_id: user, token_id } = request.caller
  const named = { ability_id: request.params.abilityId, user, token_id }
  const compiled = await runInSlices(compileItems((work) => commands.read(work), named, asked))
  const { run_id } = await commands.command(request, (ctx) => {
    return { run_id: startRun(ctx, compiled, asked).run_id }
  })
  return run_id
}

type RunQuery = z.output<typeof listOwnRuns.query>

function listRuns(reader: Reader, owner: string, query: RunQuery) {
  const { page, page_size, ability_id, state } = query
  const found = store.listAbilityRuns(reader, { owner, ability_id, state }, query)
  const runs = found.runs.map((run) => toPublicRun(reader, run))
  return { runs, total: found.total, page, page_size, schema_version: 1 as const }
}

const CANCEL_WAIT_MS = 5000
const VERSION_WAIT_MS = 10_000

/** Runs a computation to its end, with other work between its steps. */
async function runInSlices<T>(steps: Generator<undefined, T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done === true) return step.value
    await setImmediate()
  }
}

/** Waits until the run has settled or the time is over. Its executions are queued one after the other. */
async function waitForRun({ commands, jobs }: System, runId: string, withinMs: number): Promise<void> {
  const endsMs = performance.now() + withinMs
  for (;;) {
    const current = commands.read((reader) => {
      const run = store.findAbilityRun(reader, runId)
      return run === undefined || isSettled(run) ? undefined : findCurrentExecution(reader, run)
    })
    const leftMs = endsMs - performance.now()
    if (current === undefined || leftMs <= 0) return
    if ((await jobs.waitUntilSettled(current, leftMs)) === undefined) return
  }
}

/** The version of the app on the device, if the recipe depends on it. Undefined when it cannot be read. */
async function readAppVersion(
  { commands, deviceReader }: System,
  { params, body, caller }: RequestContext<{ abilityId: string }, unknown, { serial?: string | undefined }>,
): Promise<number | undefined> {
  const found = commands.read((reader) => {
    getVisibleAbility(reader, params.abilityId, caller.user_id)
    const recipe = findCurrentRecipe(reader, params.abilityId)?.recipe
    const application = recipe === undefined ? undefined : findVersionedApp(recipe)
    if (application === undefined) return undefined
    return { application, serial: chooseDevice(reader, body.serial).serial }
  })
  if (found === undefined) return undefined
  const looking = { principal: caller.user_id, timeoutMs: VERSION_WAIT_MS }
  return deviceReader.appVersion(found.serial, looking, found.application).catch(() => undefined)
}
