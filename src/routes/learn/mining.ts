import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { learnFromRuns, listRecentRuns } from '@apprentice/contracts/abilities/learn-from.ts'
import * as contracts from '@apprentice/contracts/learn/mining.ts'
import { chooseUi } from '../../domain/sessions/create-session.ts'
import { learnFromRuns as learnFrom } from '../../domain/learn/learn-from.ts'
import { listRecentExecutions } from '../../domain/learn/recent-runs.ts'
import { toTraceCluster } from '../../domain/mining/cluster-view.ts'
import { changeMiningSettings, readMiningSettings } from '../../domain/mining/settings.ts'
import type { Caller } from '../../http/access.ts'
import { type RequestContext, mountContract } from '../../http/contract-routes.ts'
import { toPublicSession } from '../../store/sessions/learn-sessions.ts'
import { listClusterPage } from '../../store/mining/trace-clusters.ts'
import type { System } from '../../daemon/system.ts'

/** An admin sees the clusters of all users, which is undefined here. Others see their own. */
const readOwnerFilter = ({ privilege, user_id }: Caller): string | undefined =>
  privilege === 'admin' ? undefined : user_id

export function learnMiningRoutes(app: FastifyInstance, { commands, miner, config }: System): void {
  const on = mountContract(app)
  const change = (request: RequestContext<unknown, unknown, contracts.MiningSettingsChange>) =>
    commands.command(request, (ctx) => changeMiningSettings(ctx, request.body))

  on(contracts.getMiningSettings)(() => commands.read(readMiningSettings))
  on(contracts.putMiningSettings)(change)
  on(contracts.postMiningSettings)(change)

  on(contracts.scanForWorkflows)(({ caller, correlation_id }) =>
    miner.scan({
      actor: { kind: 'user', user_id: caller.user_id },
      correlation_id,
      occasion: 'asked',
      owner: readOwnerFilter(caller),
    }),
  )

  on(contracts.listTraceClusters)(({ caller, query }) => {
    const found = commands.read((reader) => listClusterPage(reader, readOwnerFilter(caller), query))
    const clusters = found.clusters.map(toTraceCluster)
    return { clusters, total: found.total, ...query, schema_version: 1 }
  })

  on(learnFromRuns)((request) =>
    commands.command(request, (ctx) => {
      const rule = config.settings.learn.concurrency
      const salt = randomBytes(16).toString('hex')
      const { session, captured_trace_ids, drift } = learnFrom(ctx, request.body, { rule, salt })
      const { ui_mode } = chooseUi(session)
      const improves = drift !== undefined
      const next_action = improves ? ('show_skill_delta_editor' as const) : ('generate_proposal' as const)
      return {
        session: toPublicSession(session),
        ui_mode,
        next_action,
        captured_trace_ids,
        ...(improves ? { drift } : {}),
        schema_version: 1 as const,
      }
    }),
  )

  on(listRecentRuns)(({ caller, query }) => {
    const found = commands.read((reader) => listRecentExecutions(reader, caller.user_id, query))
    return { ...found, ...query, schema_version: 1 }
  })
}
