import { CheckpointLintReport } from '@apprentice/contracts/learn/validation.ts'
import { Failure } from '../../failure/failure.ts'
import type { Reader } from '../../store/db/db.ts'
import { type DraftFile, listDraftFiles, upsertDraftFile } from '../../store/proposals/draft-files.ts'
import { findInterpretation } from '../../store/proposals/interpretations.ts'
import type { StoredProposal } from '../../store/proposals/proposals.ts'
import type { CommandContext } from '../command/context.ts'
import { NORMALIZED_FILE } from '../../knowledge/bundle-scan/draft-file-names.ts'
import { resolveAbilityId } from './ability-id.ts'
import { readDraftJson } from './content/files.ts'
import { buildInstalledDocuments } from './content/installed-document.ts'
import { lintCheckpoints } from '../../knowledge/checkpoint-lint/checkpoint-lint.ts'

const LINT_REPORT_NAME = 'lint.json'

/** Lints a draft and stores the report next to it. */
export function lintProposal(ctx: CommandContext, proposal: StoredProposal): CheckpointLintReport {
  const { proposal_id, interpretation_id } = proposal
  const files = listDraftFiles(ctx.tx, proposal_id)
  const interpretation = interpretation_id === undefined ? undefined : findInterpretation(ctx.tx, interpretation_id)
  const report = lintCheckpoints(
    {
      proposal_id,
      interpretation,
      document: files.find(({ name }) => name === 'SKILL.md')?.content ?? '',
      graph: readGraphNames(readDraftJson(files, 'graph.json')),
      use: findUse(files, resolveAbilityId(ctx.tx, proposal)),
    },
    ctx.now,
  )
  const content = `${JSON.stringify(report, null, 2)}\n`
  upsertDraftFile(ctx.tx, proposal_id, { name: LINT_REPORT_NAME, content })
  return report
}

/** Undefined for an imported document without a recipe, which the agent reads as it is. */
function findUse(files: readonly DraftFile[], ability_id: string) {
  const has = (name: string): boolean => files.some((file) => file.name === name)
  const documents = buildInstalledDocuments(files, ability_id)
  if (documents === undefined || (has(NORMALIZED_FILE) && !has('recipe.json'))) return undefined
  const kind = has('recipe.json') ? ('runnable' as const) : ('guidance' as const)
  return { ability_id, kind, document: documents.projected }
}

/** The latest lint report of a draft, if there is one. */
export function findLintReport(reader: Reader, proposalId: string): CheckpointLintReport | undefined {
  const found = readDraftJson(listDraftFiles(reader, proposalId), LINT_REPORT_NAME)
  return found === undefined ? undefined : CheckpointLintReport.parse(found)
}

export function assertLintPassed(report: CheckpointLintReport): void {
  if (!report.passed) throw lintFailure(report)
}

export function lintFailure({ findings }: CheckpointLintReport, more: object = {}): Failure {
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  return new Failure(
    'CHECKPOINT_LINT_FAILED',
    `${first?.code ?? 'CKP'} ${first?.field ?? ''}: ${first?.message ?? 'The draft has lint errors.'}`,
    { details: { findings: errors.slice(0, 20), ...more } },
  )
}

function readGraphNames(graph: Readonly<Record<string, unknown>> | undefined) {
  const { graph_id, nodes } = (graph ?? {}) as {
    graph_id?: string
    nodes?: readonly { node_id: string }[]
  }
  return { graph_id, node_ids: (nodes ?? []).map(({ node_id }) => node_id) }
}
