import { randomBytes } from 'node:crypto'
import type { MiningScan, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import { type Actor, type CommandContext, NIGHTLY_ACTOR, writeAs } from '../domain/command/context.ts'
import type { FindSimilar } from '../domain/proposals/collisions.ts'
import { buildProposal, recordBuildFailure, findExecutionsToLearnFrom } from '../domain/mining/cluster-proposal.ts'
import { buildConnectorProposal } from '../domain/mining/connector-proposal.ts'
import { clusterConnectorCalls } from '../domain/mining/connector-traces.ts'
import { DraftRejected } from '../domain/mining/draft-check.ts'
import { clusterTraces } from '../domain/mining/trace-clustering.ts'
import { listFailedGates } from '../domain/mining/gates.ts'
import { isConnectorCluster, isReadyToBuild, assessCluster, saveClusterView } from '../domain/mining/cluster-view.ts'
import { beginScan, failScan, finishScan, isScanDue } from '../domain/mining/scan-record.ts'
import type { ScanRow } from '../store/mining/mining-scans.ts'
import { type ClusterRow, listClusters } from '../store/mining/trace-clusters.ts'
import { hasScreens, type Lessons } from './lessons.ts'
import type { EvidencePort } from './ports.ts'
import type { RunnerDeps } from './runner.ts'

const BATCH_SIZE = 100

export interface ScanRequest {
  readonly actor: Actor
  readonly correlation_id: string
  readonly occasion: ScanRow['occasion']
  /** Limits the scan to executions of this user. */
  readonly owner?: string | undefined
}

export interface MinerDeps extends RunnerDeps {
  readonly evidence: EvidencePort
  readonly lessons: Lessons
  readonly findSimilar: FindSimilar
}

type Write = <T>(work: (ctx: CommandContext) => T) => Promise<T>

/** Scans past executions for repeated workflows. Scans run one at a time. */
export class Miner {
  readonly #deps: MinerDeps
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: MinerDeps) {
    this.#deps = deps
  }

  scan(request: ScanRequest): Promise<MiningScan> {
    const next = this.#last.then(() => this.#scan(request))
    this.#last = next.catch(() => undefined)
    return next
  }

  /** Runs the nightly scan if it is due. Returns the number of proposals. */
  async scanNightly(correlation_id: string): Promise<number> {
    const { store, clock } = this.#deps
    if (!store.read((reader) => isScanDue(reader, clock().toISOString()))) return 0
    const { proposals_created } = await this.scan({
      actor: NIGHTLY_ACTOR,
      correlation_id,
      occasion: 'nightly',
    })
    return proposals_created.length
  }

  /** Each step is its own transaction and can be repeated, so the next scan continues after a crash. */
  async #scan({ actor, correlation_id, occasion, owner }: ScanRequest): Promise<MiningScan> {
    const write: Write = (work) => writeAs(this.#deps, { actor, correlation_id }, work)
    const { scan, settings } = await write((ctx) => beginScan(ctx, occasion))
    try {
      while ((await write((ctx) => clusterTraces(ctx, { owner, limit: BATCH_SIZE }))) > 0);
      while ((await write((ctx) => clusterConnectorCalls(ctx, owner))) > 0);
      const clusters = await this.#assess(write, { owner, settings })
      const result = await this.#build(write, { scan, clusters, settings })
      await write((ctx) => finishScan(ctx, scan, result))
      return result
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      await write((ctx) => failScan(ctx, scan, reason))
      throw error
    }
  }

  async #assess(
    write: Write,
    { owner, settings }: { owner: string | undefined; settings: SkillMiningSettings },
  ): Promise<ClusterRow[]> {
    const { store } = this.#deps
    const { findSimilar } = this.#deps
    const all = store.read((reader) => listClusters(reader, { owner }))
    for (let from = 0; from < all.length; from += BATCH_SIZE) {
      const assessed = store.read((reader) =>
        all.slice(from, from + BATCH_SIZE).map((cluster) => ({
          cluster_id: cluster.cluster_id,
          view: assessCluster(reader, cluster, { settings, findSimilar }),
        })),
      )
      await write((ctx) => {
        for (const { cluster_id, view } of assessed) saveClusterView(ctx, cluster_id, view)
      })
    }
    return store.read((reader) => listClusters(reader, { owner }))
  }

  async #build(
    write: Write,
    { scan, clusters, settings }: { scan: ScanRow; clusters: readonly ClusterRow[]; settings: SkillMiningSettings },
  ): Promise<MiningScan> {
    const proposals_created: string[] = []
    const build_failures: MiningScan['build_failures'] = []
    const ready = clusters.filter(isReadyToBuild).toSorted((a, b) => b.view.priority - a.view.priority)
    for (const { cluster_id, ...cluster } of ready) {
      if (proposals_created.length >= settings.max_proposals_per_scan) break
      const built = await this.#buildOne(write, { ...cluster, cluster_id }, settings)
      if (built === undefined) continue
      if ('proposal_id' in built) proposals_created.push(built.proposal_id)
      else build_failures.push({ cluster_id, reason: built.reason })
    }
    const gate_failures = clusters
      .filter(({ proposal_id }) => proposal_id === undefined)
      .map(({ cluster_id, view }) => ({ cluster_id, reasons: listFailedGates(view.gates) }))
      .filter(({ reasons }) => reasons.length > 0)
    const { scan_id } = scan
    const clusters_seen = clusters.length
    return {
      scan_id,
      clusters_seen,
      proposals_created,
      gate_failures,
      build_failures,
      schema_version: 1,
    }
  }

  async #buildOne(write: Write, cluster: ClusterRow, settings: SkillMiningSettings) {
    const { cluster_id, owner_user_id } = cluster
    const { store, log } = this.#deps
    const salt = randomBytes(16).toString('hex')
    const executions = store.read((reader) => findExecutionsToLearnFrom(reader, cluster))
    const ids = executions.map(({ execution }) => execution.execution_id)
    try {
      if (isConnectorCluster(cluster))
        return await write((ctx) => buildConnectorProposal(ctx, cluster_id, { settings, salt }))
      const recorded = this.#deps.evidence.openExecutions(ids, owner_user_id)
      const has_screens = hasScreens(recorded)
      return await this.#deps.lessons.draft(recorded, (compile) =>
        write((ctx) => buildProposal(ctx, cluster_id, { settings, executions, has_screens, compile, salt })),
      )
    } catch (error) {
      if (!(error instanceof DraftRejected)) {
        log.error({ err: error, cluster_id }, 'could not draft a proposal from a repeated workflow')
      }
      const reason = error instanceof Error ? error.message : String(error)
      return write((ctx) => recordBuildFailure(ctx, cluster_id, reason))
    }
  }
}
