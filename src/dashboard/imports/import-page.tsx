import { useSignal } from '@preact/signals'
import { useLocation } from 'preact-iso'
import { listImports, scanBundle, uploadBundle } from '@apprentice/contracts/skills/imports.ts'
import { attempt } from '../app/notices.tsx'
import { useTitle } from '../app/title.ts'
import { call, formClient } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { StateBadge } from '../parts/basic.tsx'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'
import { ImportDetail } from './import-detail.tsx'

const CLOSED_STATES = new Set(['discarded', 'expired', 'rejected'])
const PAGE_SIZE = 100

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
    route(`/import/${importId}`)
  }
  return (
    <>
      <h1>{t.learn.modes.import_skill}</h1>
      <UploadForm onScanned={onScanned} />
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
  const send = async (bundle: File | undefined): Promise<void> => {
    if (bundle === undefined) return
    await attempt(async () => {
      part.value = 0
      onScanned(await uploadAndScan(bundle, (done) => (part.value = done))).catch(() => undefined)
    })
    part.value = undefined
  }
  return (
    <form
      class="panel drop-zone"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
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
      {part.value !== undefined && <progress max={1} value={part.value} aria-label={t.imports.uploaded} />}
    </form>
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
