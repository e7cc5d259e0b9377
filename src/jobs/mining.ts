import { randomBytes } from 'node:crypto'
import type { MiningScan, SkillMiningSettings } from '@apprentice/contracts/learn/mining.ts'
import type { CommandContext, Actor } from '../domain/command/context.ts'
import type { EvidencedRun } from '../knowledge/interpret/read/evidence.ts'
import type { FindSimilar } from '../domain/proposals/collisions.ts'
import {
  buildProposal,
  noteBuildFailure,
  runsToLearnFrom,
} from '../domain/mining/build-proposal.ts'
import { countRuns } from '../domain/mining/count-runs.ts'
import { failingCodes } from '../domain/mining/gates.ts'
import { isToBeBuilt, judgeCluster, keepView } from '../domain/mining/judge-cluster.ts'
import { beginScan, failScan, finishScan, isScanDue } from '../domain/mining/scan-record.ts'
import type { ScanRow } from '../store/mining/mining-scans.ts'
import { type ClusterRow, listClusters } from '../store/mining/trace-clusters.ts'
import type { RunnerDeps } from './runner.ts'

const batchSize = 100

export interface Prospect {
  readonly actor: Actor
  readonly correlation_id: string
  readonly occasion: ScanRow['occasion']
  /** Whose runs are looked through; everybody's when absent. */
  readonly owner?: string | undefined
}

interface Tools {
  /** What is kept of these runs, with its screens. */
  readonly evidenceOf: (traceIds: readonly string[], owner: string) => Promise<EvidencedRun[]>
  readonly findSimilar: FindSimilar
}

type Write = <T>(work: (ctx: CommandContext) => T) => Promise<T>

/** Looks through past runs for workflows that are repeated. One scan at a time; a second waits for the first. */
export class Miner {
  readonly #edges: RunnerDeps
  readonly #tools: Tools
  #last: Promise<unknown> = Promise.resolve()

  constructor(edges: RunnerDeps, tools: Tools) {
    this.#edges = edges
    this.#tools = tools
  }

  scan(prospect: Prospect): Promise<MiningScan> {
    const next = this.#last.then(() => this.#scan(prospect))
    this.#last = next.catch(() => undefined)
    return next
  }

  /** The scan of the night, if it is time for one. Returns how many proposals came of it. */
  async nightly(correlation_id: string): Promise<number> {
    const { store, clock } = this.#edges
    if (!store.read((reader) => isScanDue(reader, clock().toISOString()))) return 0
    const actor = { kind: 'nightly', user_id: 'system' } as const
    const { proposals_created } = await this.scan({ actor, correlation_id, occasion: 'nightly' })
    return proposals_created.length
  }

  /** Each part is a change of its own and can be begun again: killed anywhere, the next scan goes on from there. */
  async #scan({ actor, correlation_id, occasion, owner }: Prospect): Promise<MiningScan> {
    const { store, clock, newId } = this.#edges
    const write: Write = (work) =>
      store.write(
        (tx) => work({ tx, now: clock().toISOString(), actor, correlation_id, newId }) as never,
      )
    const { scan, settings } = await write((ctx) => beginScan(ctx, occasion))
    try {
      while ((await write((ctx) => countRuns(ctx, { owner, limit: batchSize }))) > 0);
      const clusters = await this.#look(write, { owner, settings })
      const result = await this.#build(write, { scan, clusters, settings })
      await write((ctx) => finishScan(ctx, scan, result))
      return result
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      await write((ctx) => failScan(ctx, scan, reason))
      throw error
    }
  }

  async #look(
    write: Write,
    { owner, settings }: { owner: string | undefined; settings: SkillMiningSettings },
  ): Promise<ClusterRow[]> {
    const { store } = this.#edges
    const { findSimilar } = this.#tools
    const all = store.read((reader) => listClusters(reader, { owner }))
    for (let from = 0; from < all.length; from += batchSize) {
      const looked = store.read((reader) =>
        all.slice(from, from + batchSize).map((cluster) => ({
          cluster_id: cluster.cluster_id,
          view: judgeCluster(reader, cluster, { settings, findSimilar }),
        })),
      )
      await write((ctx) => {
        for (const { cluster_id, view } of looked) keepView(ctx, cluster_id, view)
      })
    }
    return store.read((reader) => listClusters(reader, { owner }))
  }

  async #build(
    write: Write,
    {
      scan,
      clusters,
      settings,
    }: { scan: ScanRow; clusters: readonly ClusterRow[]; settings: SkillMiningSettings },
  ): Promise<MiningScan> {
    const proposals_created: string[] = []
    const build_failures: MiningScan['build_failures'] = []
    const ripe = clusters.filter(isToBeBuilt).toSorted((a, b) => b.view.priority - a.view.priority)
    for (const { cluster_id, ...cluster } of ripe) {
      if (proposals_created.length >= settings.max_proposals_per_scan) break
      const built = await this.#buildOne(write, { ...cluster, cluster_id }, settings)
      if (built === undefined) continue
      if ('proposal_id' in built) proposals_created.push(built.proposal_id)
      else build_failures.push({ cluster_id, reason: built.reason })
    }
    const gate_failures = clusters
      .filter(({ proposal_id }) => proposal_id === undefined)
      .map(({ cluster_id, view }) => ({ cluster_id, reasons: failingCodes(view.gates) }))
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
    const { store, log } = this.#edges
    const runs = store.read((reader) => runsToLearnFrom(reader, cluster))
    const ids = runs.map(({ execution }) => execution.execution_id)
    const salt = randomBytes(16).toString('hex')
    try {
      const evidence = await this.#tools.evidenceOf(ids, owner_user_id)
      return await write((ctx) =>
        buildProposal(ctx, cluster_id, { settings, runs, evidence, salt }),
      )
    } catch (error) {
      log.error({ err: error, cluster_id }, 'a repeated workflow could not be made a proposal')
      const reason = error instanceof Error ? error.message : String(error)
      return write((ctx) => noteBuildFailure(ctx, cluster_id, reason))
    }
  }
}
