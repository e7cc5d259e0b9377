import type { FastifyInstance } from 'fastify'
import {
  clearQuarantine,
  explainCapability,
  getBridge,
  getCapabilityHealth,
  getCapabilityStats,
  reprobeCapability,
} from '@apprentice/contracts/capabilities/capability.ts'
import { isVisible } from '../domain/abilities/visibility.ts'
import { describeCapability, NO_MATCH } from '../domain/capabilities/explain.ts'
import { readHealth, toPublicHealth } from '../domain/capabilities/health.ts'
import { getAbilityOfCapability } from '../domain/capabilities/ability-of-capability.ts'
import { startProbe, discardProbe, readProbe } from '../domain/capabilities/probe.ts'
import * as quarantine from '../domain/capabilities/quarantine.ts'
import { recordProbe } from '../domain/capabilities/record-probe.ts'
import { Failure } from '../failure/failure.ts'
import { mountContract } from '../http/contract-routes.ts'
import { findAbility, listAbilities } from '../store/abilities/abilities.ts'
import { getBridgeStatus, listBridgeEntries } from '../store/capabilities/bridge.ts'
import { listCapabilityStats } from '../store/capabilities/capabilities.ts'
import type { Reader } from '../store/db/db.ts'
import type { System } from '../daemon/system.ts'

const PROBE_WAIT_MS = 40_000

export function capabilityRoutes(app: FastifyInstance, system: System): void {
  const { commands } = system
  const on = mountContract(app)

  on(getBridge)(({ caller }) =>
    commands.read((reader) => {
      const mine = listVisibleCapabilities(reader, caller.user_id)
      const entries = listBridgeEntries(reader).filter((entry) => mine.has(entry.capability_id))
      const { bridge_state, built_at } = getBridgeStatus(reader)
      return { entries, bridge_state, built_at, schema_version: 1 as const }
    }),
  )

  on(getCapabilityHealth)(({ caller }) =>
    commands.read((reader) => ({
      capabilities: [...listVisibleCapabilities(reader, caller.user_id)].map((id) =>
        toPublicHealth(readHealth(reader, id), true),
      ),
      snapshot_as_of: commands.now(),
      schema_version: 1 as const,
    })),
  )

  on(getCapabilityStats)(({ caller }) =>
    commands.read((reader) => {
      const mine = listVisibleCapabilities(reader, caller.user_id)
      const stats = listCapabilityStats(reader).filter((one) => mine.has(one.capability_id))
      return { stats, snapshot_as_of: commands.now(), schema_version: 1 as const }
    }),
  )

  on(clearQuarantine)((request) =>
    commands.command(request, (ctx) => ({
      ...quarantine.clearQuarantine(ctx, request.body.capability_id, request.body.reason),
      schema_version: 1 as const,
    })),
  )

  on(explainCapability)(async ({ caller, body }) => {
    const { capability_id } = body
    if (capability_id === undefined) return explainBest(system, caller.user_id, body)
    return commands.read((reader) =>
      describeCapability(reader, getAbilityOfCapability(reader, capability_id, caller.user_id)),
    )
  })

  probeRoute(app, system)
}

function probeRoute(app: FastifyInstance, { commands, jobs }: System): void {
  mountContract(app)(reprobeCapability)(async (request) => {
    const { capability_id, serial } = request.body
    const { execution_id } = await commands.command(request, (ctx) => startProbe(ctx, capability_id, serial))
    await jobs.waitUntilSettled(execution_id, PROBE_WAIT_MS)
    // Keyed by the execution, so that a repeated request records the probe once.
    const once = { ...request, headers: { 'idempotency-key': `probe:${execution_id}` } }
    return commands.command(once, (ctx) => {
      const probe = readProbe(ctx.tx, execution_id)
      if (probe === undefined) return discardProbe(ctx, capability_id)
      return { ...recordProbe(ctx, capability_id, probe), probe, schema_version: 1 as const }
    })
  })
}

/** Explains the ability that matches the query best, among those visible to the caller. */
async function explainBest(
  { commands, lookup, lookupWarmed }: System,
  caller: string,
  { query, project_id }: { query?: string | undefined; project_id?: string | undefined },
) {
  if (query === undefined) {
    throw new Failure('INVALID_REQUEST', 'Send capability_id, or query with a description of the task.', {
      details: { field: 'capability_id' },
    })
  }
  await lookupWarmed
  return commands.read((reader) => {
    const [best] = lookup.find(reader, caller, {
      user_query: query,
      ...(project_id === undefined ? {} : { project_id }),
      install_lanes_allowed: ['approved_workspace', 'shared_promoted'],
      include_private_owned_by_user: true,
      require_text_match: true,
      include_skills: false,
      include_inputs: false,
      offset: 0,
      schema_version: 1,
    })
    const ability = best && findAbility(reader, best.ability_id)
    return ability === undefined ? NO_MATCH : describeCapability(reader, ability)
  })
}

/** The capabilities of the abilities visible to the caller. */
function listVisibleCapabilities(reader: Reader, caller: string): Set<string> {
  const mine = listAbilities(reader).filter((ability) => isVisible(ability, caller))
  return new Set(mine.flatMap(({ primary_capability_id }) => primary_capability_id ?? []))
}
