import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ProposalState } from '@apprentice/contracts/learn/proposal.ts'
import {
  cancelValidationRun,
  DEVICE_RUN_KINDS,
  listValidationRuns,
  requestMoreTests,
  type ValidateBody,
  validateProposal,
} from '@apprentice/contracts/learn/validation.ts'
import { completeCleanup, listCleanups } from '@apprentice/contracts/learn/cleanups.ts'
import { getOwnProposal } from '../../domain/proposals/moves.ts'
import * as cleanups from '../../domain/proposals/rehearsal-cleanups.ts'
import { cancelRun } from '../../domain/validation/finish-run.ts'
import { startValidation } from '../../domain/validation/start-run.ts'
import { Failure } from '../../failure/failure.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import * as store from '../../store/validation/rehearsal-cleanups.ts'
import { findRun, listRuns, toPublicRun, type StoredRun } from '../../store/validation/validation-runs.ts'
import { listSteps, toPublicStep } from '../../store/validation/validation-steps.ts'
import type { System } from '../../daemon/system.ts'

/** The default wait for tests without a phone, which are quick. */
const QUICK_WAIT_MS = 10_000
const CANCEL_WAIT_MS = 5000

export function learnProposalValidationRoutes(app: FastifyInstance, { commands, jobs }: System): void {
  const on = mountContract(app)

  const readRun = (id: string): StoredRun => {
    const run = commands.read((reader) => findRun(reader, id))
    if (run === undefined) throw new Error(`No row for test run ${id}.`)
    return run
  }

  const start = async (
    request: RequestContext<{ proposalId: string }, unknown, ValidateBody>,
    reply: FastifyReply,
    from: readonly ProposalState[],
  ) => {
    const { wait_ms, ...options } = request.body
    const { validation_run_id } = await commands.command(request, (ctx) => {
      const proposal = getOwnProposal(ctx.tx, request.params.proposalId, ctx.actor.user_id)
      const started = startValidation(ctx, proposal, options, { from })
      return started instanceof Failure ? started : { validation_run_id: started.validation_run_id }
    })
    const needsPhone = DEVICE_RUN_KINDS.has(readRun(validation_run_id).run_kind)
    const waitMs = wait_ms ?? (needsPhone ? 0 : QUICK_WAIT_MS)
    if (waitMs > 0) await jobs.waitUntilSettled(validation_run_id, waitMs)
    const run = readRun(validation_run_id)
    void reply.code(run.completed_at === undefined ? 202 : 200)
    return { validation_run: toPublicRun(run), schema_version: 1 as const }
  }

  on(validateProposal)((request, reply) => start(request, reply, ['draft', 'testing', 'ready_for_review']))

  on(requestMoreTests)((request, reply) => start(request, reply, ['testing', 'ready_for_review']))

  on(listValidationRuns)(({ caller, params, query }) =>
    commands.read((reader) => {
      getOwnProposal(reader, params.proposalId, caller.user_id)
      const { runs, total } = listRuns(reader, params.proposalId, query)
      const ids = runs.map(({ validation_run_id }) => validation_run_id)
      return {
        runs: runs.map(toPublicRun),
        steps: listSteps(reader, ids).map(toPublicStep),
        total,
        ...query,
        schema_version: 1,
      }
    }),
  )

  on(listCleanups)(({ caller, query }) => {
    const { page, page_size } = query
    return {
      ...commands.read((reader) => store.listCleanups(reader, caller.user_id, query)),
      page,
      page_size,
      schema_version: 1,
    }
  })

  on(completeCleanup)((request) =>
    commands.command(request, (ctx) =>
      store.toPublicCleanup(cleanups.completeCleanup(ctx, request.params.cleanupId, request.body.note)),
    ),
  )

  on(cancelValidationRun)((request) =>
    commands.commandOnce(request, async () => {
      const { proposalId, runId } = request.params
      await commands.write(request, (ctx) => {
        cancelRun(ctx, getOwnProposal(ctx.tx, proposalId, ctx.actor.user_id), runId)
      })
      // The run has ended already. This waits until its phone is free.
      if (await jobs.cancel(runId)) await jobs.waitUntilSettled(runId, CANCEL_WAIT_MS)
      return { validation_run: toPublicRun(readRun(runId)), schema_version: 1 as const }
    }),
  )
}
