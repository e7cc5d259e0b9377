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
import { getOwnSkillRun } from '../domain/skill-runs/follow-run.ts'
import { planRun } from '../knowledge/skill-script/plan-run.ts'
import { publicSkillRun } from '../domain/skill-runs/run-view.ts'
import { queueSkillRun, subjectOf } from '../domain/skill-runs/start-run.ts'
import { Failure } from '../failure/failure.ts'
import { type RequestContext, mounting } from '../http/mount.ts'
import { mountStream } from '../http/stream.ts'
import { findSkillRun, listSkillRuns as listRows } from '../store/skill-runs/skill-runs.ts'
import type { System } from '../daemon/system.ts'
import { answerCall, settledWithin } from './skill-run-calls.ts'

const cancelWaitMs = 8000

export function skillRunRoutes(app: FastifyInstance, system: System): void {
  const { commands, jobs, hub, config, skillRuns } = system
  const on = mounting(app)
  const runOf = (runId: string, userId: string): SkillRun =>
    commands.read((reader) => publicSkillRun(reader, getOwnSkillRun(reader, runId, userId)))

  on(runSkill)(async (asked, reply) => {
    const { wait_ms, skip_validation, ...request } = asked.body
    const { skillId } = asked.params
    const skill = await skillRuns.find(skillId)
    if (skill === undefined) throw new Failure('SKILL_NOT_FOUND', `No skill ${skillId}.`)
    const plan = planRun(skill, { lenient: skip_validation })
    await skillRuns.check(plan)
    const { run_id } = await commands.command(asked, (ctx) => ({
      run_id: queueSkillRun(ctx, plan, request).run_id,
    }))
    if (wait_ms > 0) await settledWithin(system, run_id, wait_ms)
    const run = runOf(run_id, asked.caller.user_id)
    void reply.code(run.settled_at === undefined ? 202 : 200)
    return { run, schema_version: 1 }
  })

  on(listSkillRuns)(({ caller, params, query }) =>
    commands.read((reader) => {
      const wanted = { owner: caller.user_id, skill_id: params.skillId, state: query.state }
      const found = listRows(reader, wanted, query)
      const runs = found.runs.map((row) => publicSkillRun(reader, row))
      const { page, page_size } = query
      return { runs, total: found.total, page, page_size, schema_version: 1 as const }
    }),
  )

  on(getSkillRun)(({ caller, params }) => ({
    run: runOf(params.runId, caller.user_id),
    schema_version: 1,
  }))

  on(cancelSkillRun)(async ({ caller, params }) => {
    const { runId } = params
    const { settled_at } = runOf(runId, caller.user_id)
    if (settled_at !== undefined || !(await jobs.cancel(runId))) {
      throw new Failure('SKILL_RUN_SETTLED', 'The run is already over.')
    }
    await jobs.settled(runId, cancelWaitMs)
    return { run: runOf(runId, caller.user_id), schema_version: 1 }
  })

  on(callFromSkillRun)((asked) => answerCall(system, asked))

  mountStream(app, streamSkillRunEvents, {
    hub,
    streams_per_token: config.settings.limits.streams_per_token,
    find: async (asked, read) => {
      const { runId } = (asked as RequestContext<{ runId: string }>).params
      return commands.read((reader) => {
        getOwnSkillRun(reader, runId, asked.caller.user_id)
        return read(reader, {
          subject: subjectOf(runId),
          isOver: (now) => findSkillRun(now, runId)?.settled_at !== undefined,
        })
      })
    },
  })
}
