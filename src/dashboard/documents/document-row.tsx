import { useSignal } from '@preact/signals'
import { AcrobatCapability, type AdapterHealth } from '@apprentice/contracts/documents/adapter.ts'
import { deleteDocument, downloadDocument, type StoredDocument } from '@apprentice/contracts/documents/documents.ts'
import { attempt, notify } from '../app/notices.tsx'
import { mayWrite } from '../app/privilege.ts'
import { call, formClient } from '../api/client.ts'
import { Badge, Time } from '../parts/basic.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { formatBytes } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { further } from '../text/further.ts'
import { findObstacle } from './adapter-panel.tsx'

interface DocumentRowProps {
  readonly document: StoredDocument
  readonly health: AdapterHealth
  readonly onChoose: (capability: AcrobatCapability) => void
  readonly onChanged: () => Promise<void>
}

/** A document, what can be read from it, and how to get rid of it. */
export function DocumentRow({ document, health, onChoose, onChanged }: DocumentRowProps) {
  const { document_ref: documentRef, file_name, byte_size, data_class, created_at, expires_at } = document
  const isDeleting = useSignal(false)
  const remove = () =>
    attempt(async () => {
      await call(deleteDocument, { params: { documentRef } })
      notify(further.documents.removed(file_name))
    }, onChanged)
  return (
    <li class="panel document">
      <div class="document-head">
        <strong>{file_name}</strong>
        <Badge>{further.documents.dataClasses[data_class]}</Badge>
        <small>{formatBytes(byte_size)}</small>
        <Time at={created_at} />
        <small>
          {further.documents.deletedAt} <Time at={expires_at} />
        </small>
      </div>
      <div class="buttons">
        {AcrobatCapability.options.map((name) => {
          const obstacle = findObstacle(health, name)
          const label = further.documents.operations[name]
          return (
            <button
              key={name}
              type="button"
              class="small"
              disabled={obstacle !== undefined}
              title={obstacle ?? further.documents.operationHints[name]}
              aria-label={further.documents.operationOf(label, file_name)}
              onClick={() => onChoose(name)}
            >
              {label}
            </button>
          )
        })}
        <span class="spacer" />
        <DownloadLink documentRef={documentRef} name={file_name} label={further.documents.download} />
        <button
          type="button"
          class="small danger quiet"
          disabled={!mayWrite.value}
          aria-label={further.documents.removeOf(file_name)}
          onClick={() => (isDeleting.value = true)}
        >
          {further.documents.remove}
        </button>
      </div>
      {isDeleting.value && (
        <Confirm
          title={further.documents.removeTitle(file_name)}
          text={further.documents.removeText}
          action={further.documents.remove}
          onConfirm={() => void remove()}
          onClose={() => (isDeleting.value = false)}
        />
      )}
    </li>
  )
}

interface DownloadLinkProps {
  readonly documentRef: string
  readonly name: string
  readonly label: string
}

/** A plain link, so that the browser saves files of any size. */
export const DownloadLink = ({ documentRef, name, label }: DownloadLinkProps) => (
  <a
    class="button small"
    href={formClient.address(downloadDocument, { params: { documentRef } })}
    download={name}
    aria-label={further.documents.operationOf(label, name)}
  >
    <Icon name="download" size={14} /> {label}
  </a>
)
