import { useSignal } from '@preact/signals'
import { FINDING_FACTS, type FindingCode } from '@apprentice/contracts/skills/import-findings.ts'
import { overrideFindings } from '@apprentice/contracts/skills/imports.ts'
import type {
  BundleSummary,
  SkillCompatibilityFinding,
  SkillCompatibilityReport,
} from '@apprentice/contracts/skills/import-record.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Badge } from '../parts/basic.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatBytes } from '../parts/format.ts'
import { ReasonForm } from '../parts/reason-form.tsx'
import { further } from '../text/further.ts'
import { formatName, t } from '../text/text.ts'

interface ImportReportProps {
  readonly report: SkillCompatibilityReport
  readonly importId: string
  readonly onChanged: () => Promise<void>
}

const SEVERITIES = ['error', 'warning', 'info'] as const

/** What the scan found, by severity, and what the bundle asks for. */
export function ImportReport({ report, importId, onChanged }: ImportReportProps) {
  const { compatible, portability_grade, findings, bundle_summary: summary, frontmatter } = report
  const overriding = useSignal<string | undefined>(undefined)
  const override = (reason: string): Promise<boolean> => {
    const body = { import_id: importId, codes: [overriding.value ?? ''], reason }
    return attempt(() => call(overrideFindings, { body }), onChanged)
  }
  return (
    <>
      {frontmatter !== undefined && <p translate={false}>{frontmatter.description}</p>}
      <p class="badges">
        <Badge tone={compatible ? 'good' : 'bad'}>{compatible ? t.imports.compatible : t.imports.notCompatible}</Badge>
        {portability_grade !== undefined && <Badge>{formatName(portability_grade)}</Badge>}
        {summary !== undefined && (
          <small>{t.imports.files(summary.file_count, formatBytes(summary.uncompressed_bytes))}</small>
        )}
      </p>
      {SEVERITIES.map((severity) => (
        <Findings
          key={severity}
          severity={severity}
          findings={findings.filter((one) => one.severity === severity)}
          onOverride={(code) => (overriding.value = code)}
        />
      ))}
      {summary !== undefined && <Permissions summary={summary} />}
      {overriding.value !== undefined && (
        <ReasonForm
          title={t.imports.overrideTitle(overriding.value)}
          text={t.imports.overrideText}
          action={t.imports.override}
          onReason={override}
          onClose={() => (overriding.value = undefined)}
        />
      )}
    </>
  )
}

interface FindingsProps {
  readonly severity: (typeof SEVERITIES)[number]
  readonly findings: readonly SkillCompatibilityFinding[]
  readonly onOverride: (code: string) => void
}

/** Notes are folded, because they ask for nothing. */
function Findings({ severity, findings, onOverride }: FindingsProps) {
  if (findings.length === 0) return null
  return (
    <details class={`part findings ${severity}`} open={severity !== 'info'}>
      <summary>
        {t.imports.severities[severity]} ({findings.length})
      </summary>
      <ul>
        {findings.map((finding, at) => (
          <Finding key={at} finding={finding} onOverride={onOverride} />
        ))}
      </ul>
    </details>
  )
}

function Finding({
  finding,
  onOverride,
}: {
  readonly finding: SkillCompatibilityFinding
  readonly onOverride: (code: string) => void
}) {
  const { code, severity, message, path_hint: path, line, override } = finding
  const canOverride = severity === 'error' && override === undefined && isHeuristic(code)
  return (
    <li>
      {further.findings[code] ?? message}{' '}
      {path !== undefined && <code>{line === undefined ? path : t.imports.place(path, line)}</code>}{' '}
      <small>{code}</small>
      {override !== undefined && <small>{t.imports.overridden(override.user_id, override.reason)}</small>}
      {canOverride && (
        <button type="button" class="small" aria-label={t.imports.overrideOf(code)} onClick={() => onOverride(code)}>
          {t.imports.override}
        </button>
      )}
    </li>
  )
}

const isHeuristic = (code: string): boolean =>
  code in FINDING_FACTS && FINDING_FACTS[code as FindingCode].heuristic === true

function Permissions({ summary }: { readonly summary: BundleSummary }) {
  const { allowed_tools, connector_hints, scripts, capabilities } = summary
  const isEmpty = allowed_tools.length + connector_hints.length + scripts.length === 0
  return (
    <section class="part">
      <h3>{t.imports.permissions}</h3>
      {isEmpty && <p class="hint">{t.imports.nothingAsked}</p>}
      <Facts
        facts={[
          [t.imports.tools, allowed_tools.join(', ')],
          [t.imports.connectors, connector_hints.join(', ')],
          [t.imports.scripts, scripts.join(', ')],
          [t.imports.capabilities, capabilities.join(', ')],
        ]}
      />
    </section>
  )
}
