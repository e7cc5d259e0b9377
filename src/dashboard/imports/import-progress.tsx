import type { ImportState } from '@apprentice/contracts/skills/import-record.ts'
import { Icon, type IconName } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

const STEPS = ['upload', 'scan', 'stage', 'review', 'decide'] as const
type StepState = 'done' | 'current' | 'failed' | 'open'
const ICONS: Readonly<Record<StepState, IconName>> = { done: 'done', current: 'next', failed: 'failed', open: 'circle' }

/** The number of the step that an import is at, and whether it failed there. */
function findPosition(state: ImportState, isCompatible: boolean): { readonly at: number; readonly isFailed: boolean } {
  const isFailed = state.endsWith('_failed') || (state === 'scan_complete' && !isCompatible)
  if (state === 'upload_pending') return { at: 0, isFailed }
  if (state === 'uploaded' || state === 'scanning' || state === 'scan_failed') return { at: 1, isFailed }
  if (state === 'scan_complete') return { at: isCompatible ? 2 : 1, isFailed }
  if (state === 'staging' || state === 'stage_failed') return { at: 2, isFailed }
  if (state === 'ready_for_review') return { at: 3, isFailed }
  return { at: state === 'install_failed' || state === 'install_queued' ? 4 : 5, isFailed }
}

/** The steps of the wizard. Icons and words say which are done. */
export function ImportProgress({
  state,
  isCompatible,
}: {
  readonly state: ImportState
  readonly isCompatible: boolean
}) {
  const { at, isFailed } = findPosition(state, isCompatible)
  return (
    <ol class="wizard">
      {STEPS.map((name, position) => {
        const current = isFailed ? 'failed' : 'current'
        const stepState: StepState = position < at ? 'done' : position === at ? current : 'open'
        return (
          <li key={name} class={stepState} aria-current={position === at ? 'step' : undefined}>
            <Icon name={ICONS[stepState]} size={14} /> {t.imports.steps[name]}
          </li>
        )
      })}
    </ol>
  )
}
