import { FINDING_FACTS, type FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import type { SkillCompatibilityReport } from '@apprentice/contracts/skills/import-record.ts'
import { Failure } from '../../failure/failure.ts'
import { findImport, type ImportRow } from '../../store/skill-import/skill-imports.ts'
import type { CommandContext } from '../command/context.ts'
import { importNotFound, recordImportReceipt, saveImport } from './record/import-record.ts'
import { invalidState } from './record/import-machine.ts'

export interface OverrideRequest {
  readonly import_id: string
  readonly codes: readonly string[]
  readonly reason: string
}

export interface OverrideResult {
  readonly row: ImportRow
  readonly report: SkillCompatibilityReport
  readonly receipt_id: string
}

/** Marks findings of a finished scan as wrong. The caller is an administrator and need not own the import. */
export function overrideFindings(ctx: CommandContext, request: OverrideRequest): OverrideResult {
  const { import_id, codes, reason } = request
  const row = findImport(ctx.tx, import_id)
  if (row?.report === undefined) throw importNotFound(import_id)
  if (row.stage_state !== 'scan_complete') throw invalidState(row.stage_state, 'staging')
  const unfit = codes.find((code) => !isHeuristic(code) || !row.report?.findings.some((one) => one.code === code))
  if (unfit !== undefined) {
    throw new Failure('INVALID_REQUEST', `codes: ${unfit} is not a heuristic finding of this scan.`, {
      details: { field: 'codes' },
    })
  }
  const report = applyOverride(row.report, codes, { reason, user_id: ctx.actor.user_id, created_at: ctx.now })
  const saved = saveImport(ctx, row, { report })
  const receipt_id = recordImportReceipt(ctx, saved, 'skill_import.findings_overridden', {
    summary: `${codes.length} findings of ${row.skill_name} were overridden.`,
    reason,
    details: { codes: [...codes], compatible: report.compatible },
  })
  return { row: saved, report, receipt_id }
}

const isHeuristic = (code: string): boolean =>
  code in FINDING_FACTS && FINDING_FACTS[code as FindingCode].heuristic === true

type Override = NonNullable<SkillCompatibilityReport['findings'][number]['override']>

function applyOverride(
  report: SkillCompatibilityReport,
  codes: readonly string[],
  override: Override,
): SkillCompatibilityReport {
  const findings = report.findings.map((finding) => (codes.includes(finding.code) ? { ...finding, override } : finding))
  const compatible = findings.every((finding) => finding.severity !== 'error' || finding.override !== undefined)
  const portability_grade =
    compatible && report.portability_grade === 'non_portable' ? 'local_only' : report.portability_grade
  return {
    ...report,
    findings,
    compatible,
    portability_grade,
    ...(report.frontmatter && portability_grade && { frontmatter: { ...report.frontmatter, portability_grade } }),
  }
}
