import { useSignal } from '@preact/signals'
import { getImport } from '@apprentice/contracts/skills/imports.ts'
import type { SkillCompatibilityReport } from '@apprentice/contracts/skills/import-record.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { RejectForm } from '../review/reject-form.tsx'
import { formatName, t } from '../text/text.ts'
import { type ImportStep, listImportSteps } from './import-steps.ts'

interface ImportDetailProps {
  readonly importId: string
  readonly onChanged: () => Promise<void>
}

/** The findings of a scan and the actions that the state of the import permits. */
export function ImportDetail({ importId, onChanged }: ImportDetailProps) {
  const busy = useSignal(false)
  const rejecting = useSignal<ImportStep | undefined>(undefined)
  const { data, failure, reload } = useResource(importId, () => call(getImport, { params: { importId } }), {
    changesWith: ['skill.'],
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { import_record, compatibility_report } = data.value
  const isCompatible = import_record.tool_shadowing_check === 'clear' && compatibility_report?.compatible === true
  const run = async (step: ImportStep, reason?: string): Promise<boolean> => {
    busy.value = true
    const isDone = await attempt(() => step.run(importId, reason))
    await Promise.all([reload(), onChanged()])
    busy.value = false
    return isDone
  }
  return (
    <div class="review">
      {compatibility_report !== undefined && <Report report={compatibility_report} />}
      <div class="buttons">
        {listImportSteps(import_record.stage_state, isCompatible).map((step) => (
          <button
            key={step.label}
            type="button"
            class={step.style}
            disabled={busy.value}
            onClick={() => (step.needsReason ? (rejecting.value = step) : void run(step))}
          >
            {step.label}
          </button>
        ))}
      </div>
      {rejecting.value !== undefined && (
        <RejectForm
          onReject={(reason) => (rejecting.value === undefined ? Promise.resolve(false) : run(rejecting.value, reason))}
          onClose={() => (rejecting.value = undefined)}
        />
      )}
    </div>
  )
}

const SEVERITIES = ['error', 'warning', 'info'] as const

function Report({ report }: { readonly report: SkillCompatibilityReport }) {
  const { compatible, portability_grade, findings, bundle_summary, frontmatter } = report
  return (
    <>
      {frontmatter !== undefined && <p>{frontmatter.description}</p>}
      <p class="badges">
        <Badge tone={compatible ? 'good' : 'bad'}>{compatible ? t.imports.compatible : t.imports.notCompatible}</Badge>
        {portability_grade !== undefined && <Badge>{formatName(portability_grade)}</Badge>}
        {bundle_summary !== undefined && <small>{t.imports.files(bundle_summary.file_count)}</small>}
      </p>
      {SEVERITIES.map((severity) => (
        <Findings key={severity} severity={severity} findings={findings.filter((one) => one.severity === severity)} />
      ))}
    </>
  )
}

interface FindingsProps {
  readonly severity: (typeof SEVERITIES)[number]
  readonly findings: SkillCompatibilityReport['findings']
}

function Findings({ severity, findings }: FindingsProps) {
  if (findings.length === 0) return null
  return (
    <section class="part">
      <h4>
        {t.imports.severities[severity]} ({findings.length})
      </h4>
      <ul>
        {findings.map(({ code, message, path_hint }, at) => (
          <li key={at}>
            <code>{code}</code> {message}
            {path_hint !== undefined && ` (${path_hint})`}
          </li>
        ))}
      </ul>
    </section>
  )
}
