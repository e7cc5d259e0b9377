import { useSignal } from '@preact/signals'
import {
  type AcrobatCapability,
  type AcrobatOperation,
  type AdapterHealth,
  getAdapterHealth,
  listOperations,
} from '@apprentice/contracts/documents/adapter.ts'
import { listDocuments, type StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import { useTitle } from '../app/title.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, ReadFailure, Skeleton } from '../parts/basic.tsx'
import { further } from '../text/further.ts'
import { AdapterPanel } from './adapter-panel.tsx'
import { DocumentRow } from './document-row.tsx'
import { OperationForm } from './operation-form.tsx'
import { OperationList } from './operation-list.tsx'
import { UploadForm } from './upload-form.tsx'

const PAGE = { page_size: 100 }
const POLL_MS = 3000

interface Chosen {
  readonly capability: AcrobatCapability
  readonly document: StoredDocument
}

/** Documents and what the adapter reads from them. */
export function DocumentsPage() {
  useTitle(further.documents.title)
  const chosen = useSignal<Chosen | undefined>(undefined)
  const { data, failure, reload } = useResource('documents', readAll, { pollMs: POLL_MS })
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  return (
    <>
      <h1>{further.documents.title}</h1>
      {data.value === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <Content {...data.value} onChoose={(one) => (chosen.value = one)} onChanged={reload} />
      )}
      {chosen.value !== undefined && data.value !== undefined && (
        <OperationForm
          {...chosen.value}
          health={data.value.health}
          onRun={reload}
          onClose={() => (chosen.value = undefined)}
        />
      )}
    </>
  )
}

interface All {
  readonly health: AdapterHealth
  readonly uploads: readonly StoredDocument[]
  readonly outputs: readonly StoredDocument[]
  readonly operations: readonly AcrobatOperation[]
}

async function readAll(): Promise<All> {
  const [health, uploads, outputs, { operations }] = await Promise.all([
    call(getAdapterHealth),
    call(listDocuments, { query: { ...PAGE, kind: 'upload' } }),
    call(listDocuments, { query: { ...PAGE, kind: 'output' } }),
    call(listOperations, { query: {} }),
  ])
  return { health, uploads: uploads.documents, outputs: outputs.documents, operations }
}

interface ContentProps extends All {
  readonly onChoose: (chosen: Chosen) => void
  readonly onChanged: () => Promise<void>
}

const Content = ({ health, uploads, outputs, operations, onChoose, onChanged }: ContentProps) => (
  <>
    <AdapterPanel health={health} />
    <UploadForm onUploaded={onChanged} />
    <h2>{further.documents.yours}</h2>
    {uploads.length === 0 && <Empty icon="document" title={further.documents.none} />}
    <ul class="rows documents">
      {uploads.map((document) => (
        <DocumentRow
          key={document.document_ref}
          document={document}
          health={health}
          onChoose={(capability) => onChoose({ capability, document })}
          onChanged={onChanged}
        />
      ))}
    </ul>
    <h2>{further.documents.results}</h2>
    <OperationList operations={operations} documents={[...uploads, ...outputs]} onChanged={onChanged} />
  </>
)
