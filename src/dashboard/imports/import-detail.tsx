import { useSignal } from '@preact/signals'
import { getImport } from '@apprentice/contracts/skills/imports.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { RejectForm } from '../review/reject-form.tsx'
import { t } from '../text/text.ts'
import { ImportPack } from './import-pack.tsx'
import { ImportProgress } from './import-progress.tsx'
import { ImportReport } from './import-report.tsx'
import { type ImportStep, listImportSteps } from './import-steps.ts'
import { TriggerTest } from './trigger-test.tsx'

interface ImportDetailProps {
  readonly importId: string
  readonly onChanged: () => Promise<void>
}

/** Time alone changes what the daemon warns of. */
const POLL_MS = 60_000

/** The findings of a scan, what the bundle asks for, and the actions that the state of the import permits. */
export function ImportDetail({ importId, onChanged }: ImportDetailProps) {
  const busy = useSignal(false)
  const rejecting = useSignal<ImportStep | undefined>(undefined)
  const pack = useSignal<string | undefined>(undefined)
  const { data, failure, reload } = useResource(importId, () => call(getImport, { params: { importId } }), {
    changesWith: ['skill.'],
    pollMs: POLL_MS,
  })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { import_record: record, compatibility_report: report, partial_deployment: partial, warnings } = data.value
  const state = record.stage_state
  const isCompatible = record.tool_shadowing_check === 'clear' && report?.compatible === true
  const run = async (step: ImportStep, reason?: string): Promise<boolean> => {
    busy.value = true
    const isDone = await attempt(() => step.run(importId, { reason, pack: pack.value }))
    await Promise.all([reload(), onChanged()])
    busy.value = false
    return isDone
  }
  if (state === 'expired') return <p class="warning">{t.imports.expired}</p>
  return (
    <div class="review">
      <ImportProgress state={state} isCompatible={isCompatible} />
      {warnings.includes('upload_expiring_soon') && <Badge tone="busy">{t.imports.expiresSoon}</Badge>}
      {record.retry_count > 0 && <Badge tone="busy">{t.imports.retries(record.retry_count)}</Badge>}
      {partial !== undefined && partial.state !== 'none' && <p class="warning">{t.imports.incomplete}</p>}
      {report !== undefined && <ImportReport report={report} importId={importId} onChanged={reload} />}
      {state === 'scan_complete' && isCompatible && (
        <ImportPack
          suggested={report?.suggested_pack_id}
          value={pack.value}
          onChange={(packId) => (pack.value = packId)}
        />
      )}
      {state === 'ready_for_review' && <TriggerTest importId={importId} />}
      <div class="buttons">
        {record.ability_id !== undefined && (
          <a class="button primary" href={`/skills/${encodeURIComponent(record.ability_id)}`}>
            {t.imports.openAbility}
          </a>
        )}
        {listImportSteps(state, isCompatible).map((step) => (
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
