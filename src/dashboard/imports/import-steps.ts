import {
  approveImport,
  discardImport,
  installImport,
  rejectImport,
  retryImport,
  stageImport,
} from '@apprentice/contracts/skills/imports.ts'
import type { ImportState, RetryKind } from '@apprentice/contracts/skills/import-record.ts'
import { call } from '../api/client.ts'
import { t } from '../text/text.ts'

export interface ImportStep {
  readonly label: string
  readonly style: string
  readonly needsReason: boolean
  readonly run: (importId: string, choice: ImportChoice) => Promise<unknown>
}

/** What the person entered for a step. */
export interface ImportChoice {
  readonly reason?: string | undefined
  readonly pack?: string | undefined
}

const DISCARDABLE = new Set<ImportState>([
  'uploaded',
  'scan_failed',
  'scan_complete',
  'stage_failed',
  'ready_for_review',
  'install_failed',
])

/** What can be done with an import in its state. An incompatible bundle can only be discarded. */
export function listImportSteps(state: ImportState, isCompatible: boolean): readonly ImportStep[] {
  return [
    ...listForwardSteps(state, isCompatible),
    ...(DISCARDABLE.has(state)
      ? [createStep(t.imports.discard, (import_id) => call(discardImport, { body: { import_id } }), 'quiet')]
      : []),
  ]
}

function listForwardSteps(state: ImportState, isCompatible: boolean): readonly ImportStep[] {
  if (state === 'scan_failed') return [createRetry(t.imports.scanAgain, 'scan')]
  if (state === 'stage_failed') return [createRetry(t.imports.unpackAgain, 'stage')]
  if (state === 'install_failed') return [createRetry(t.imports.installAgain, 'install')]
  if (state === 'scan_complete' && isCompatible) {
    return [createStep(t.imports.unpack, stage, 'primary')]
  }
  if (state !== 'ready_for_review') return []
  return [
    createStep(t.imports.install, (import_id) => call(installImport, { body: { import_id } }), 'primary'),
    createStep(t.imports.approve, (import_id) => call(approveImport, { body: { import_id } })),
    {
      ...createStep(
        t.imports.reject,
        (import_id, { reason = '' }) => call(rejectImport, { body: { import_id, reason } }),
        'danger',
      ),
      needsReason: true,
    },
  ]
}

const stage: ImportStep['run'] = (import_id, { pack }) =>
  call(stageImport, { body: { import_id, ...(pack !== undefined && { requested_pack_id: pack }) } })

const createStep = (label: string, run: ImportStep['run'], style = ''): ImportStep => ({
  label,
  style,
  needsReason: false,
  run,
})

const createRetry = (label: string, retry_kind: RetryKind): ImportStep =>
  createStep(label, (import_id) => call(retryImport, { body: { import_id, retry_kind } }), 'primary')
