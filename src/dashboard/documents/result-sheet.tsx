import { downloadDocument } from '@apprentice/contracts/documents/documents.ts'
import { formClient } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { further } from '../text/further.ts'
import { type AdapterResult, readResult } from './adapter-result.ts'

/** More would make the page slow. The download has everything. */
const LISTED = 50
const LISTED_ROWS = 200

interface ResultSheetProps {
  readonly title: string
  readonly documentRef: string
  readonly onClose: () => void
}

/** The result of an operation, in a drawer. */
export function ResultSheet({ title, documentRef, onClose }: ResultSheetProps) {
  const read = async () => readResult((await formClient.download(downloadDocument, { params: { documentRef } })).bytes)
  const { data, failure, reload } = useResource(documentRef, read)
  return (
    <Dialog title={title} kind="drawer" onClose={onClose}>
      {failure.value !== undefined && <ReadFailure message={failure.value} onRetry={() => void reload()} />}
      {data.value === undefined && failure.value === undefined && <Skeleton rows={6} />}
      {data.value !== undefined && <Content result={data.value} />}
    </Dialog>
  )
}

function Content({ result }: { readonly result: AdapterResult }) {
  switch (result.kind) {
    case 'document_text':
    case 'document_ocr':
      return <Pages pages={result.pages} />
    case 'document_tables':
      return <Tables tables={result.tables} />
    case 'redaction_proposal':
      return <Proposals proposals={result.proposals} />
    case 'unreadable':
      return <p class="hint">{further.documents.unreadable}</p>
  }
}

type Of<Kind extends AdapterResult['kind']> = Extract<AdapterResult, { kind: Kind }>

const Pages = ({ pages }: Pick<Of<'document_text'>, 'pages'>) => (
  <>
    {pages.slice(0, LISTED).map(({ page, text }) => (
      <section key={page}>
        <h3>{further.documents.page(page)}</h3>
        {text.trim() === '' ? <p class="hint">{further.documents.noText}</p> : <pre tabIndex={0}>{text}</pre>}
      </section>
    ))}
    {pages.length > LISTED && <p class="hint">{further.documents.more}</p>}
  </>
)

const Tables = ({ tables }: Pick<Of<'document_tables'>, 'tables'>) => (
  <>
    {tables.length === 0 && <p class="hint">{further.documents.noTables}</p>}
    {tables.slice(0, LISTED).map(({ table, page, cells }) => (
      <section key={table} class="table-scroll" tabIndex={0} aria-label={further.documents.table(table, page)}>
        <h3>{further.documents.table(table, page)}</h3>
        <table class="data">
          <tbody>
            {cells.slice(0, LISTED_ROWS).map((row, at) => (
              <tr key={at}>
                {row.map((cell, column) => (
                  <td key={column}>{cell}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    ))}
    {(tables.length > LISTED || tables.some(({ cells }) => cells.length > LISTED_ROWS)) && (
      <p class="hint">{further.documents.more}</p>
    )}
  </>
)

const Proposals = ({ proposals }: Pick<Of<'redaction_proposal'>, 'proposals'>) => (
  <>
    <p>{proposals.length === 0 ? further.documents.noProposals : further.documents.proposals(proposals.length)}</p>
    <ul class="plain lines">
      {proposals.slice(0, LISTED_ROWS).map(({ page, kind, boxes }, at) => (
        <li key={at}>
          <strong>{further.documents.kinds[kind] ?? kind}</strong> <span>{further.documents.page(page)}</span>
          <small>{further.documents.places(boxes.length)}</small>
        </li>
      ))}
    </ul>
    {proposals.length > LISTED_ROWS && <p class="hint">{further.documents.more}</p>}
  </>
)
