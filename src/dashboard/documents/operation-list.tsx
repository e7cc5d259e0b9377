import { useSignal } from '@preact/signals'
import { type AcrobatOperation, cancelOperation } from '@apprentice/contracts/documents/adapter.ts'
import type { StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Badge, Time } from '../parts/basic.tsx'
import type { Tone } from '../parts/format.ts'
import { say } from '../text/say.ts'
import { further } from '../text/further.ts'
import { formatName } from '../text/text.ts'
import { DownloadLink } from './document-row.tsx'
import { ResultSheet } from './result-sheet.tsx'

const TONES: Readonly<Record<AcrobatOperation['state'], Tone>> = {
  waiting_for_approval: 'busy',
  queued: 'busy',
  running: 'busy',
  succeeded: 'good',
  failed: 'bad',
  denied: 'bad',
  expired: 'plain',
  cancelled: 'plain',
  interrupted: 'bad',
}
const OPEN_STATES = new Set<AcrobatOperation['state']>(['waiting_for_approval', 'queued', 'running'])
/** The names of formats in results. */
const FORMATS: Readonly<Record<string, string>> = {
  'application/json': 'JSON',
  'text/plain': 'TXT',
  'text/csv': 'CSV',
}

interface OperationListProps {
  readonly operations: readonly AcrobatOperation[]
  readonly documents: readonly StoredDocument[]
  readonly onChanged: () => Promise<void>
}

/** What the adapter did, is doing, and waits for. */
export function OperationList({ operations, documents, onChanged }: OperationListProps) {
  const viewed = useSignal<AcrobatOperation | undefined>(undefined)
  if (operations.length === 0) return <p class="hint">{further.documents.noResults}</p>
  return (
    <>
      <ul class="rows operations">
        {operations.map((operation) => (
          <OperationRow
            key={operation.operation_id}
            operation={operation}
            documents={documents}
            onView={() => (viewed.value = operation)}
            onChanged={onChanged}
          />
        ))}
      </ul>
      {viewed.value?.output_ref !== undefined && (
        <ResultSheet
          title={further.documents.operations[viewed.value.capability]}
          documentRef={viewed.value.output_ref}
          onClose={() => (viewed.value = undefined)}
        />
      )}
    </>
  )
}

interface OperationRowProps {
  readonly operation: AcrobatOperation
  readonly documents: readonly StoredDocument[]
  readonly onView: () => void
  readonly onChanged: () => Promise<void>
}

function OperationRow({ operation, documents, onView, onChanged }: OperationRowProps) {
  const { operation_id: operationId, capability, state, status, source_ref, output_ref, created_at } = operation
  const label = further.documents.operations[capability]
  const source = documents.find(({ document_ref }) => document_ref === source_ref)?.file_name ?? source_ref
  const cancel = () => attempt(() => call(cancelOperation, { params: { operationId }, body: {} }), onChanged)
  return (
    <li class="panel operation">
      <strong>{label}</strong> <span>{source}</span>
      <Badge tone={state === 'succeeded' && status === 'degraded' ? 'busy' : TONES[state]}>
        {further.documents.states[state]}
      </Badge>
      <Time at={created_at} />
      <span class="spacer" />
      {state === 'waiting_for_approval' && <a href="/connectors/approvals">{further.documents.toApproval}</a>}
      {OPEN_STATES.has(state) && (
        <button
          type="button"
          class="small"
          aria-label={further.documents.cancelOf(label)}
          onClick={() => void cancel()}
        >
          {further.documents.cancel}
        </button>
      )}
      {output_ref !== undefined && (
        <button type="button" class="small" aria-label={further.documents.viewOf(label, source)} onClick={onView}>
          {further.documents.view}
        </button>
      )}
      {[output_ref, ...operation.further_output_refs].map((ref) => {
        const output = documents.find(({ document_ref }) => document_ref === ref)
        return output === undefined ? null : (
          <DownloadLink
            key={output.document_ref}
            documentRef={output.document_ref}
            name={output.file_name}
            label={FORMATS[output.media_type] ?? further.documents.download}
          />
        )
      })}
      <Remarks operation={operation} />
    </li>
  )
}

/** Why an operation failed, or what is to be known about its result. */
function Remarks({ operation }: { readonly operation: AcrobatOperation }) {
  const { warning_codes, error_message, reason_code } = operation
  return (
    <>
      {error_message !== undefined && <small class="error why">{say(error_message)}</small>}
      {error_message === undefined && reason_code !== undefined && <small class="why">{formatName(reason_code)}</small>}
      {warning_codes.map((code) => (
        <small key={code} class="why">
          {further.documents.warnings[code] ?? code}
        </small>
      ))}
    </>
  )
}
