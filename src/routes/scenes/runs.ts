import type { FastifyInstance } from 'fastify'
import { REPORT_MEDIA } from '@apprentice/contracts/scenes/artifact.ts'
import type { SceneRun } from '@apprentice/contracts/scenes/run.ts'
import {
  cancelSceneRun,
  getSceneReport,
  getSceneRun,
  listSceneRuns,
  startSceneRun,
  streamSceneRunEvents,
} from '@apprentice/contracts/scenes/runs.ts'
import { getOwnReportFile } from '../../domain/scenes/scene-files.ts'
import { getOwnSceneRun, toSceneRun } from '../../domain/scenes/scene-run-record.ts'
import { formatSceneRunSubject, startSceneRun as startRun } from '../../domain/scenes/start-scene-run.ts'
import { Failure } from '../../failure/failure.ts'
import { mountContract, type RequestContext } from '../../http/contract-routes.ts'
import { mountStream } from '../../http/event-stream-routes.ts'
import { createSubjectSource } from '../../live/source.ts'
import { findSceneRun, listSceneRuns as listRows } from '../../store/scenes/scene-runs.ts'
import type { System } from '../../daemon/system.ts'

const CANCEL_WAIT_MS = 15_000

export function sceneRunRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs, sceneRuns } = system
  const on = mountContract(app)
  const readRun = (runId: string, userId: string): SceneRun =>
    commands.read((reader) => toSceneRun(reader, getOwnSceneRun(reader, runId, userId)))

  on(startSceneRun)(async (request, reply) => {
    const { wait_ms, instruction, profile, timeout_ms, policy } = request.body
    const plan = await sceneRuns.plan(request.body)
    sceneRuns.assertInstalled()
    const { run_id } = await commands.command(request, (ctx) => ({
      run_id: startRun(ctx, { plan, instruction, profile, timeout_ms, policy }).run_id,
    }))
    if (wait_ms > 0) await jobs.waitUntilSettled(run_id, wait_ms)
    const run = readRun(run_id, request.caller.user_id)
    void reply.code(run.settled_at === undefined ? 202 : 200)
    return { run, schema_version: 1 }
  })

  on(listSceneRuns)(({ caller, query }) =>
    commands.read((reader) => {
      const { scene_id, state, page, page_size } = query
      const found = listRows(reader, { owner: caller.user_id, scene_id, state }, query)
      const runs = found.runs.map((row) => toSceneRun(reader, row))
      return { runs, total: found.total, page, page_size, schema_version: 1 as const }
    }),
  )

  on(getSceneRun)(({ caller, params }) => ({ run: readRun(params.runId, caller.user_id), schema_version: 1 }))

  on(cancelSceneRun)((request) =>
    commands.commandOnce(request, async () => {
      const { runId } = request.params
      const { user_id } = request.caller
      const { settled_at } = readRun(runId, user_id)
      if (settled_at !== undefined || !(await jobs.cancel(runId))) {
        throw new Failure('SCENE_RUN_SETTLED', 'The run has already ended.')
      }
      await jobs.waitUntilSettled(runId, CANCEL_WAIT_MS)
      return { run: readRun(runId, user_id), schema_version: 1 as const }
    }),
  )

  on(getSceneReport)(async ({ params, query, caller }, reply) => {
    const { runId } = params
    const { format } = query
    const file = commands.read((reader) => getOwnReportFile(reader, { runId, format, userId: caller.user_id }))
    const content = await sceneRuns.readReport(file.sha256)
    if (content === undefined) throw new Failure('SCENE_REPORT_NOT_FOUND', 'The file of the report is missing.')
    // The name may have characters that a header cannot contain.
    const name = encodeURIComponent(file.file_name).replaceAll(
      /['()*]/g,
      (character) => `%${(character.codePointAt(0) ?? 0).toString(16).toUpperCase()}`,
    )
    void reply
      .type(REPORT_MEDIA[format])
      .header('content-disposition', `attachment; filename="report.${format}"; filename*=UTF-8''${name}`)
      .header('x-content-sha256', file.sha256)
    return content
  })

  mountEvents(app, system)
}

function mountEvents(app: FastifyInstance, { commands, hub, liveScreens, config }: System): void {
  mountStream(app, streamSceneRunEvents, {
    hub,
    liveScreens,
    config,
    find: async (request, read) => {
      const { runId } = (request as RequestContext<{ runId: string }>).params
      return commands.read((reader) => {
        getOwnSceneRun(reader, runId, request.caller.user_id)
        const isOver = (now: typeof reader): boolean => findSceneRun(now, runId)?.settled_at !== undefined
        return read(reader, createSubjectSource(formatSceneRunSubject(runId), isOver))
      })
    },
  })
}
