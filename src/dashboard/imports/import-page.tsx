import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { listImports, scanBundle, uploadBundle } from '@apprentice/contracts/skills/imports.ts'
import { attempt } from '../app/notices.tsx'
import { useTitle } from '../app/title.ts'
import { call, formClient } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, StateBadge } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { ImportDetail } from './import-detail.tsx'

const CLOSED_STATES = new Set(['discarded', 'expired', 'rejected'])
const PAGE_SIZE = 100
const MAX_BYTES = 100 * 1024 * 1024

/** The import wizard: upload, scan, unpack, review, decide. An import is resumed from the list after a reload. */
export function ImportPage({ id }: { readonly id?: string }) {
  useTitle(t.learn.modes.import_skill)
  const { route } = useLocation()
  const { data, reload } = useResource('imports', () => call(listImports, { query: { page_size: PAGE_SIZE } }), {
    changesWith: ['skill.'],
  })
  const items = (data.value?.items ?? []).filter(
    ({ stage_state, import_id }) => import_id === id || !CLOSED_STATES.has(stage_state),
  )
  const onScanned = async (importId: string): Promise<void> => {
    await reload()
    if (importId !== '') route(`/import/${importId}`)
  }
  return (
    <>
      <h1>{t.learn.modes.import_skill}</h1>
      <UploadForm onScanned={onScanned} />
      <h2>{t.imports.open}</h2>
      {data.value !== undefined && items.length === 0 && <Empty icon="upload" title={t.imports.none} />}
      <ul class="rows imports">
        {items.map(({ import_id, skill_name, stage_state }) => (
          <li key={import_id} class="panel">
            <a href={`/import/${import_id}`} aria-current={import_id === id ? 'true' : undefined}>
              <strong>{skill_name}</strong>
            </a>
            <StateBadge state={stage_state} />
            {import_id === id && <ImportDetail importId={import_id} onChanged={reload} />}
          </li>
        ))}
      </ul>
    </>
  )
}

function UploadForm({ onScanned }: { readonly onScanned: (importId: string) => Promise<void> }) {
  const part = useSignal<number | undefined>(undefined)
  const file = useSignal('')
  const problem = useSignal<string | undefined>(undefined)
  const isOver = useSignal(false)
  const send = async (bundle: File | undefined): Promise<void> => {
    if (bundle === undefined) return
    problem.value = findProblem(bundle)
    if (problem.value !== undefined) return
    file.value = bundle.name
    part.value = 0
    const isDone = await attempt(async () => {
      const importId = await uploadAndScan(bundle, (done) => (part.value = done))
      await onScanned(importId)
    })
    if (!isDone) await onScanned('')
    part.value = undefined
  }
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
      <p>{t.imports.hint}</p>
      <input
        type="file"
        accept=".zip,.skill"
        aria-label={t.imports.bundle}
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
      {part.value !== undefined && <UploadProgress part={part.value} name={file.value} />}
    </form>
  )
}

/** What can be said before anything is uploaded. */
function findProblem({ name, size }: File): string | undefined {
  if (!/\.(?:zip|skill)$/i.test(name)) return t.imports.notZip
  return size > MAX_BYTES ? t.imports.tooLarge : undefined
}

function UploadProgress({ part, name }: { readonly part: number; readonly name: string }) {
  const text = part < 1 ? t.imports.uploading(name) : t.imports.scanning(name)
  return (
    <p role="status">
      <progress max={1} {...(part < 1 && { value: part })} aria-label={text} /> {text}
    </p>
  )
}

async function uploadAndScan(bundle: File, onProgress: (part: number) => void): Promise<string> {
  const form = new FormData()
  // The type that a browser gives to a zip file depends on the operating system.
  form.append('bundle', bundle.slice(0, bundle.size, 'application/zip'), bundle.name)
  const { temp_artifact } = await formClient.upload(uploadBundle, { form, onProgress })
  const { temp_artifact_ref } = temp_artifact
  const { import_record } = await call(scanBundle, { body: { source: 'manual_upload', temp_artifact_ref } })
  return import_record.import_id
}
