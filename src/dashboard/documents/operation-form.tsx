import { useSignal } from '@preact/signals'
import {
  type AcrobatCapability,
  type AdapterHealth,
  extractTables,
  extractText,
  prepareRedaction,
  recognizeText,
  TableMode,
} from '@apprentice/contracts/documents/adapter.ts'
import type { StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import { notify } from '../app/notices.tsx'
import { ApiFailure, call, readMessage } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { readField, splitLines } from '../parts/form-field.ts'
import { Icon } from '../parts/icon.tsx'
import { further } from '../text/further.ts'
import { t } from '../text/text.ts'
import { canDo } from './adapter-panel.tsx'

const PAGES_PATTERN = String.raw`\d+(-\d+)?(,\d+(-\d+)?)*`
const PATTERN_KINDS = ['email', 'phone', 'iban', 'card'] as const
/** The operation is kept and made when a person has allowed it. */
const WAITING_CODES = new Set(['ACROBAT_REDACTION_PREP_REQUIRES_APPROVAL', 'MCP_ASK_FIRST_REQUIRED'])

interface OperationFormProps {
  readonly capability: AcrobatCapability
  readonly document: StoredDocument
  readonly health: AdapterHealth
  readonly onRun: () => Promise<void>
  readonly onClose: () => void
}

/** Asks how an operation is to be done, and starts it. */
export function OperationForm({ capability, document, health, onRun, onClose }: OperationFormProps) {
  const isRunning = useSignal(false)
  const refusal = useSignal<string | undefined>(undefined)
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const fields = new FormData(event.currentTarget)
    refusal.value =
      capability === 'redaction_prep' && readPatterns(fields).length === 0 ? further.documents.noPattern : undefined
    if (refusal.value !== undefined) return
    isRunning.value = true
    try {
      await start(capability, document.document_ref, fields)
      onClose()
    } catch (error) {
      if (error instanceof ApiFailure && WAITING_CODES.has(error.code)) {
        notify(further.documents.waits)
        onClose()
      } else refusal.value = readMessage(error)
    } finally {
      isRunning.value = false
      await onRun()
    }
  }
  return (
    <Dialog
      title={further.documents.operationOf(further.documents.operations[capability], document.file_name)}
      onClose={onClose}
    >
      <form onSubmit={(event) => void submit(event)}>
        <p class="hint">{further.documents.operationHints[capability]}</p>
        <Field label={further.documents.pages} hint={further.documents.pagesHint}>
          <input name="page_range" pattern={PAGES_PATTERN} maxLength={120} autocomplete="off" />
        </Field>
        <Options capability={capability} health={health} />
        <Field label={further.documents.why}>
          <textarea name="why_needed" rows={2} maxLength={500} />
        </Field>
        {refusal.value !== undefined && (
          <p class="error" role="alert">
            {refusal.value}
          </p>
        )}
        <div class="buttons end">
          {isRunning.value && (
            <span class="working" role="status">
              <Icon name="wait" /> {further.documents.working(document.file_name)}
            </span>
          )}
          <button type="button" onClick={onClose}>
            {t.common.close}
          </button>
          <button class="primary" disabled={isRunning.value}>
            {further.documents.run}
          </button>
        </div>
      </form>
    </Dialog>
  )
}

function Options({ capability, health }: Pick<OperationFormProps, 'capability' | 'health'>) {
  switch (capability) {
    case 'extract_text':
      return canDo(health, 'ocr') ? (
        <label class="check">
          <input type="checkbox" name="ocr_fallback" /> {further.documents.ocrFallback}
        </label>
      ) : null
    case 'extract_tables':
      return (
        <Field label={further.documents.tableMode}>
          <select name="table_mode">
            {TableMode.options.map((name) => (
              <option key={name} value={name}>
                {further.documents.tableModes[name]}
              </option>
            ))}
          </select>
        </Field>
      )
    case 'ocr':
      return (
        <Field label={further.documents.language}>
          <select name="language_hint">
            <option value="">{further.documents.anyLanguage}</option>
            {health.ocr_languages.map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      )
    case 'redaction_prep':
      return <Patterns />
  }
}

const Patterns = () => (
  <>
    <fieldset class="choices">
      <legend>{further.documents.patterns}</legend>
      {PATTERN_KINDS.map((name) => (
        <label key={name} class="check">
          <input type="checkbox" name="pattern" value={name} defaultChecked /> {further.documents.patternKinds[name]}
        </label>
      ))}
    </fieldset>
    <Field label={further.documents.names} hint={further.documents.onePerLine}>
      <textarea name="names" rows={2} />
    </Field>
    <Field label={further.documents.terms} hint={further.documents.onePerLine}>
      <textarea name="terms" rows={2} />
    </Field>
  </>
)

const readPatterns = (fields: FormData): string[] => [
  ...PATTERN_KINDS.filter((name) => fields.getAll('pattern').includes(name)),
  ...splitLines(readField(fields, 'names')).map((name) => `name:${name}`),
  ...splitLines(readField(fields, 'terms')).map((term) => `term:${term}`),
]

function start(capability: AcrobatCapability, source_ref: string, fields: FormData): Promise<unknown> {
  const read = (name: string): string | undefined => readField(fields, name).trim() || undefined
  const source = {
    source_ref_kind: 'document_ref' as const,
    source_ref,
    page_range: read('page_range'),
    why_needed: read('why_needed'),
  }
  switch (capability) {
    case 'extract_text':
      return call(extractText, { body: { ...source, capability, ocr_fallback: fields.has('ocr_fallback') } })
    case 'extract_tables':
      return call(extractTables, {
        body: { ...source, capability, table_mode: TableMode.parse(fields.get('table_mode')) },
      })
    case 'ocr':
      return call(recognizeText, { body: { ...source, capability, language_hint: read('language_hint') } })
    case 'redaction_prep':
      return call(prepareRedaction, { body: { ...source, capability, pattern_set: readPatterns(fields) } })
  }
}
