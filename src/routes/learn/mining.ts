import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { learnFromRuns, listRecentRuns } from '@apprentice/contracts/abilities/learn-from.ts'
import * as contracts from '@apprentice/contracts/learn/mining.ts'
import { uiOf } from '../../domain/sessions/create-session.ts'
import { learnFromRuns as learnFrom } from '../../domain/learn/learn-from.ts'
import { listRecent } from '../../domain/learn/recent-runs.ts'
import { publicCluster } from '../../domain/mining/judge-cluster.ts'
import { changeMiningSettings, miningSettings } from '../../domain/mining/settings.ts'
import type { Caller } from '../../http/access.ts'
import { type RequestContext, mounting } from '../../http/mount.ts'
import { publicSession } from '../../store/sessions/learn-sessions.ts'
import { listClusterPage } from '../../store/mining/trace-clusters.ts'
import type { System } from '../../daemon/system.ts'

/** An operator looks after everybody's; anybody else after their own. */
const lookedAfter = ({ privilege, user_id }: Caller): string | undefined =>
  privilege === 'admin' ? undefined : user_id

export function learnMiningRoutes(app: FastifyInstance, { commands, miner, config }: System): void {
  const on = mounting(app)
  const change = (request: RequestContext<unknown, unknown, contracts.MiningSettingsChange>) =>
    commands.command(request, (ctx) => changeMiningSettings(ctx, request.body))

  on(contracts.getMiningSettings)(() => commands.read(miningSettings))
  on(contracts.putMiningSettings)(change)
  on(contracts.postMiningSettings)(change)

  on(contracts.scanForWorkflows)(({ caller, correlation_id }) =>
    miner.scan({
      actor: { kind: 'user', user_id: caller.user_id },
      correlation_id,
      occasion: 'asked',
      owner: lookedAfter(caller),
    }),
  )

  on(contracts.listTraceClusters)(({ caller, query }) => {
    const found = commands.read((reader) => listClusterPage(reader, lookedAfter(caller), query))
    const clusters = found.clusters.map(publicCluster)
    return { clusters, total: found.total, ...query, schema_version: 1 }
  })

  on(learnFromRuns)((request) =>
    commands.command(request, (ctx) => {
      const rule = config.settings.learn.concurrency
      const salt = randomBytes(16).toString('hex')
      const { session, captured_trace_ids, drift } = learnFrom(ctx, request.body, { rule, salt })
      const { ui_mode } = uiOf(session)
      const improves = drift !== undefined
      const next_action = improves
        ? ('show_skill_delta_editor' as const)
        : ('generate_proposal' as const)
      return {
        session: publicSession(session),
        ui_mode,
        next_action,
        captured_trace_ids,
        ...(improves ? { drift } : {}),
        schema_version: 1 as const,
      }
    }),
  )

  on(listRecentRuns)(({ caller, query }) => {
    const found = commands.read((reader) => listRecent(reader, caller.user_id, query))
    return { ...found, ...query, schema_version: 1 }
  })
}
