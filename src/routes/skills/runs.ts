import { basename } from 'node:path'
import type { FastifyInstance } from 'fastify'
import {
  callFromSkillRun,
  cancelSkillRun,
  getSkillRun,
  listSkillRuns,
  runSkill,
  type SkillRun,
  streamSkillRunEvents,
} from '@apprentice/contracts/skills/runs.ts'
import { getOwnSkillRun, toSkillRun } from '../../domain/skill-runs/skill-run-record.ts'
import { planRun } from '../../knowledge/skill-script/skill-plan.ts'
import { queueSkillRun, formatSkillRunSubject } from '../../domain/skill-runs/skill-run-start.ts'
import { findSkillLane, isSkillVisible } from '../../domain/abilities/visibility.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { mountStream } from '../../http/event-stream-routes.ts'
import { createSubjectSource } from '../../live/source.ts'
import { findSkillRun, listSkillRuns as listRows } from '../../store/skill-runs/skill-runs.ts'
import type { System } from '../../daemon/system.ts'
import { answerCall, waitUntilSettled } from './run-calls.ts'

const CANCEL_WAIT_MS = 8000

export function skillRunRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs, hub, liveScreens, config, skillRuns } = system
  const on = mountContract(app)
  const readRun = (runId: string, userId: string): SkillRun =>
    commands.read((reader) => toSkillRun(reader, getOwnSkillRun(reader, runId, userId)))

  on(runSkill)(async (request, reply) => {
    const { wait_ms, skip_validation, ...options } = request.body
    const { skillId } = request.params
    const skill = await skillRuns.findSkill(skillId)
    const names = [skillId, basename(skill?.folder ?? '')]
    if (skill === undefined || !commands.read((reader) => isSkillVisible(reader, names, request.caller.user_id))) {
      throw new Failure('SKILL_NOT_FOUND', `No skill ${skillId}.`)
    }
    const plan = planRun(skill, { lenient: skip_validation })
    await skillRuns.check(plan)
    const { run_id } = await commands.command(request, (ctx) => ({
      run_id: queueSkillRun(ctx, plan, { ...options, lane: findSkillLane(ctx.tx, names) }).run_id,
    }))
    if (wait_ms > 0) await waitUntilSettled(system, run_id, wait_ms)
    const run = readRun(run_id, request.caller.user_id)
    void reply.code(run.settled_at === undefined ? 202 : 200)
    return { run, schema_version: 1 }
  })

  on(listSkillRuns)(({ caller, params, query }) =>
    commands.read((reader) => {
      const filter = { owner: caller.user_id, skill_id: params.skillId, state: query.state }
      const found = listRows(reader, filter, query)
      const runs = found.runs.map((row) => toSkillRun(reader, row))
      const { page, page_size } = query
      return { runs, total: found.total, page, page_size, schema_version: 1 as const }
    }),
  )

  on(getSkillRun)(({ caller, params }) => ({
    run: readRun(params.runId, caller.user_id),
    schema_version: 1,
  }))

  on(cancelSkillRun)((request) =>
    commands.commandOnce(request, async () => {
      const { runId } = request.params
      const { user_id } = request.caller
      const { settled_at } = readRun(runId, user_id)
      if (settled_at !== undefined || !(await jobs.cancel(runId))) {
        throw new Failure('SKILL_RUN_SETTLED', 'The run has already ended.')
      }
      await jobs.waitUntilSettled(runId, CANCEL_WAIT_MS)
      return { run: readRun(runId, user_id), schema_version: 1 as const }
    }),
  )

  on(callFromSkillRun)((request) => answerCall(system, request))

  mountStream(app, streamSkillRunEvents, {
    hub,
    liveScreens,
    config,
    find: async (request, read) => {
      const { runId } = (request as RequestContext<{ runId: string }>).params
      return commands.read((reader) => {
        getOwnSkillRun(reader, runId, request.caller.user_id)
        return read(
          reader,
          createSubjectSource(
            formatSkillRunSubject(runId),
            (now) => findSkillRun(now, runId)?.settled_at !== undefined,
          ),
        )
      })
    },
  })
}
