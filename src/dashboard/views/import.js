import { get, post, upload } from '../api.js'
import { fill, make } from '../element.js'
import { createImport } from '../imports.js'
import { attempt } from '../notices.js'

/** @typedef {import('@apprentice/contracts/skills/import-record.ts').ImportedSkillRecord} Imported */

const IMPORT_URL = '/api/skills/import'
const CLOSED_STATES = new Set(['discarded', 'expired', 'rejected'])

/** @param {HTMLElement} place */
export function showImport(place) {
  const list = make('div', { className: 'rows' })
  const form = createUpload((record) => {
    const node = createImport(record)
    list.prepend(node)
    node.open = true
  })
  place.append(make('h1', {}, 'Import Skill'), form, list)
  void attempt(async () => {
    /** @type {{ items: Imported[] }} */
    const { items } = await get(`${IMPORT_URL}/list?page_size=100`)
    const open = items.filter(({ stage_state }) => !CLOSED_STATES.has(stage_state))
    fill(list, ...open.map((record) => createImport(record)))
  })
  return () => {}
}

/** @param {(record: Imported) => void} onScanned */
function createUpload(onScanned) {
  const file = make('input', {
    type: 'file',
    accept: '.zip',
    required: true,
    'aria-label': 'Bundle',
  })
  const button = make('button', { className: 'primary' }, 'Upload and scan')
  const progress = make('progress', { max: 1, value: 0, hidden: true, 'aria-label': 'Uploaded' })
  const form = make(
    'form',
    { className: 'panel setup' },
    make('p', {}, 'A zip file of at most 100 MB that contains a SKILL.md. The scan runs nothing in it.'),
    file,
    progress,
    button,
  )
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    const [bundle] = file.files ?? []
    if (bundle === undefined) return
    void attempt(async () => {
      button.disabled = true
      progress.hidden = false
      try {
        onScanned(await uploadBundle(bundle, (part) => (progress.value = part)))
        form.reset()
      } finally {
        button.disabled = false
        progress.hidden = true
      }
    })
  })
  return form
}

/**
 * @param {File} bundle
 * @param {(part: number) => void} onProgress
 */
async function uploadBundle(bundle, onProgress) {
  const parts = new FormData()
  // The type that a browser gives to a zip file depends on the operating system.
  parts.append('bundle', bundle.slice(0, bundle.size, 'application/zip'), bundle.name)
  /** @type {{ temp_artifact: { temp_artifact_ref: string } }} */
  const { temp_artifact } = await upload(`${IMPORT_URL}/uploads`, parts, onProgress)
  const { temp_artifact_ref } = temp_artifact
  /** @type {{ import_record: Imported }} */
  const { import_record } = await post(`${IMPORT_URL}/scan`, {
    source: 'manual_upload',
    temp_artifact_ref,
  })
  return import_record
}
