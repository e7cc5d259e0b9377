import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import {
  cancelValidationRun,
  deviceRunKinds,
  listValidationRuns,
  requestMoreTests,
  type ValidateBody,
  validateProposal,
} from '@apprentice/contracts/learn/validation.ts'
import { getOwnProposal } from '../../domain/proposals/moves.ts'
import { cancelRun } from '../../domain/validation/finish-run.ts'
import { startValidation } from '../../domain/validation/start-run.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mounting } from '../../http/mount.ts'
import {
  findRun,
  listRuns,
  publicRun,
  type StoredRun,
} from '../../store/validation/validation-runs.ts'
import { listSteps, publicStep } from '../../store/validation/validation-steps.ts'
import type { System } from '../../daemon/system.ts'

/** Tests without a phone take moments; they are waited for unless the caller says otherwise. */
const quickWaitMs = 10_000
const cancelWaitMs = 5000

export function learnProposalValidationRoutes(
  app: FastifyInstance,
  { commands, jobs }: System,
): void {
  const on = mounting(app)

  const runOf = (id: string): StoredRun => {
    const run = commands.read((reader) => findRun(reader, id))
    if (run === undefined) throw new Error(`No row for test run ${id}.`)
    return run
  }

  const start = async (
    asked: RequestContext<{ proposalId: string }, unknown, ValidateBody>,
    reply: FastifyReply,
    from: readonly ProposalState[],
  ) => {
    const { wait_ms, ...request } = asked.body
    const { validation_run_id } = await commands.command(asked, (ctx) => {
      const proposal = getOwnProposal(ctx.tx, asked.params.proposalId, ctx.actor.user_id)
      const started = startValidation(ctx, proposal, request, { from })
      return started instanceof Failure ? started : { validation_run_id: started.validation_run_id }
    })
    const needsPhone = deviceRunKinds.has(runOf(validation_run_id).run_kind)
    const waitMs = wait_ms ?? (needsPhone ? 0 : quickWaitMs)
    if (waitMs > 0) await jobs.settled(validation_run_id, waitMs)
    const run = runOf(validation_run_id)
    void reply.code(run.completed_at === undefined ? 202 : 200)
    return { validation_run: publicRun(run), schema_version: 1 as const }
  }

  on(validateProposal)((asked, reply) =>
    start(asked, reply, ['draft', 'testing', 'ready_for_review']),
  )

  on(requestMoreTests)((asked, reply) => start(asked, reply, ['testing', 'ready_for_review']))

  on(listValidationRuns)(({ caller, params, query }) =>
    commands.read((reader) => {
      getOwnProposal(reader, params.proposalId, caller.user_id)
      const { runs, total } = listRuns(reader, params.proposalId, query)
      const ids = runs.map(({ validation_run_id }) => validation_run_id)
      return {
        runs: runs.map(publicRun),
        steps: listSteps(reader, ids).map(publicStep),
        total,
        ...query,
        schema_version: 1,
      }
    }),
  )

  on(cancelValidationRun)(async (asked) => {
    const { proposalId, runId } = asked.params
    await commands.command(asked, (ctx) => {
      cancelRun(ctx, getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id), runId)
      return {}
    })
    // The run is over already; this waits until the phone was let go.
    if (await jobs.cancel(runId)) await jobs.settled(runId, cancelWaitMs)
    return { validation_run: publicRun(runOf(runId)), schema_version: 1 }
  })
}
