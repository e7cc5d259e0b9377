import { useSignal } from '@preact/signals'
import { uploadDocument } from '@apprentice/contracts/documents/documents.ts'
import { DataClass } from '@apprentice/contracts/documents/fields.ts'
import { attempt, notify } from '../app/notices.tsx'
import { mayWrite, privilege } from '../app/privilege.ts'
import { formClient } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { further } from '../text/further.ts'

const MAX_BYTES = 100 * 1024 * 1024
const FILE_NAMES = /\.(?:pdf|png|jpe?g|tiff?)$/i

/** Sends a document with its data class. What is wrong with the file is said before it is sent. */
export function UploadForm({ onUploaded }: { readonly onUploaded: () => Promise<void> }) {
  const dataClass = useSignal<DataClass>('unknown')
  const part = useSignal<number | undefined>(undefined)
  const name = useSignal('')
  const problem = useSignal<string | undefined>(undefined)
  const isOver = useSignal(false)
  const send = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    problem.value = findProblem(file)
    if (problem.value !== undefined) return
    name.value = file.name
    part.value = 0
    const isDone = await attempt(() => upload(file, dataClass.value, (done) => (part.value = done)), onUploaded)
    part.value = undefined
    if (isDone) notify(further.documents.uploaded(file.name))
  }
  if (privilege.value !== undefined && !mayWrite.value) return <p class="hint">{further.documents.readOnly}</p>
  return (
    <form
      class={isOver.value ? 'panel drop-zone over' : 'panel drop-zone'}
      onDragOver={(event) => {
        event.preventDefault()
        isOver.value = true
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={(event) => {
        event.preventDefault()
        isOver.value = false
        void send(event.dataTransfer?.files[0])
      }}
    >
      <Icon name="upload" size={24} />
      <p>{further.documents.upload}</p>
      <Field label={further.documents.dataClass} hint={further.documents.dataClassHint}>
        <select onChange={({ currentTarget }) => (dataClass.value = DataClass.parse(currentTarget.value))}>
          {DataClass.options.map((one) => (
            <option key={one} value={one} selected={one === dataClass.value}>
              {further.documents.dataClasses[one]}
            </option>
          ))}
        </select>
      </Field>
      <input
        type="file"
        accept=".pdf,.png,.jpg,.jpeg,.tif,.tiff"
        aria-label={further.documents.file}
        disabled={part.value !== undefined}
        onChange={({ currentTarget }) => {
          void send(currentTarget.files?.[0])
          currentTarget.value = ''
        }}
      />
      {problem.value !== undefined && (
        <p class="error" role="alert">
          {problem.value}
        </p>
      )}
      {part.value !== undefined && (
        <p role="status">
          <progress max={1} value={part.value} aria-label={further.documents.uploading(name.value)} />{' '}
          {further.documents.uploading(name.value)}
        </p>
      )}
    </form>
  )
}

function findProblem({ name, size }: File): string | undefined {
  if (!FILE_NAMES.test(name)) return further.documents.wrongType
  return size > MAX_BYTES ? further.documents.tooLarge : undefined
}

async function upload(file: File, data_class: DataClass, onProgress: (part: number) => void): Promise<void> {
  const form = new FormData()
  // The daemon reads the metadata first.
  form.append('metadata', JSON.stringify({ data_class }))
  form.append('document', file, file.name)
  await formClient.upload(uploadDocument, { form, onProgress })
}
