import { useSignal } from '@preact/signals'
import { snapshotDevice } from '@apprentice/contracts/devices/device.ts'
import type { SnapshotElement } from '@apprentice/contracts/devices/snapshot.ts'
import { notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { formatQuoted } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { t } from '../text/text.ts'

interface InspectorProps {
  readonly serial: string
  /** Changes when the screen has changed. */
  readonly fingerprint: string
  readonly chosen: number | undefined
  readonly onChoose: (index: number) => void
}

/** The tree of the screen, the attributes of the chosen element, and its selector to copy. */
export function Inspector({ serial, fingerprint, chosen, onChoose }: InspectorProps) {
  const query = useSignal('')
  const { data, failure, reload } = useResource(`${serial}/${fingerprint}`, () =>
    call(snapshotDevice, { params: { serial }, body: {} }),
  )
  const elements = data.value?.snapshot.elements ?? []
  const element = elements.find(({ index }) => index === chosen)
  const words = query.value.toLowerCase()
  const listed = elements.filter((one) => one.visible && describe(one).toLowerCase().includes(words))
  return (
    <section class="panel inspector" aria-label={t.teach.phone.inspector}>
      <header class="part-head">
        <h3>{t.teach.phone.inspector}</h3>
        <button type="button" class="quiet" aria-label={t.teach.phone.refresh} onClick={() => void reload()}>
          <Icon name="refresh" />
        </button>
      </header>
      {failure.value !== undefined && <ReadFailure message={failure.value} onRetry={() => void reload()} />}
      {data.value === undefined && failure.value === undefined && <Skeleton />}
      <input
        type="search"
        placeholder={t.teach.phone.search}
        aria-label={t.teach.phone.search}
        value={query.value}
        onInput={({ currentTarget }) => (query.value = currentTarget.value)}
      />
      <ul class="tree" aria-label={t.teach.phone.tree}>
        {listed.map((one) => (
          <li key={one.index} style={{ paddingLeft: `${Math.min(one.depth, 12) * 10}px` }}>
            <button
              type="button"
              class="quiet"
              aria-pressed={one.index === chosen}
              ref={(row) => {
                if (one.index === chosen) row?.scrollIntoView({ block: 'nearest' })
              }}
              onClick={() => onChoose(one.index)}
            >
              {describe(one)}
            </button>
          </li>
        ))}
      </ul>
      {element === undefined ? <p class="hint">{t.teach.phone.clickToInspect}</p> : <Attributes element={element} />}
    </section>
  )
}

function describe({ type, label, resource_id, password }: SnapshotElement): string {
  const name = type?.split('.').at(-1) ?? ''
  const id = resource_id?.split('/').at(-1)
  const text = password || label === '' ? '' : ` ${formatQuoted(label)}`
  return `${name}${text}${id ? ` #${id}` : ''}`
}

const KEYS: Readonly<Record<string, string>> = {
  resource_id: 'resourceId',
  content_description: 'contentDescEquals',
  text: 'textEquals',
  class: 'class',
}

function Attributes({ element }: { readonly element: SnapshotElement }) {
  const { selector } = element
  const copy = async (): Promise<void> => {
    if (selector === null) return
    await navigator.clipboard.writeText(JSON.stringify({ [KEYS[selector.source] ?? 'class']: selector.value }))
    notify(t.teach.phone.copied)
  }
  return (
    <div class="attributes">
      <h4>{t.teach.phone.attributes}</h4>
      <dl>
        {listAttributes(element).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      {selector === null ? (
        <p class="hint">{t.teach.phone.noSelector}</p>
      ) : (
        <button type="button" onClick={() => void copy()}>
          <Icon name="copy" /> {t.teach.phone.copySelector}
        </button>
      )}
    </div>
  )
}

const FLAGS = ['clickable', 'long_clickable', 'checkable', 'focusable', 'scrollable', 'enabled', 'password'] as const

function listAttributes(element: SnapshotElement): [string, string][] {
  const texts: [string, string | null][] = [
    ['text', element.password ? null : element.text],
    ['content-desc', element.content_description],
    ['resource-id', element.resource_id],
    ['class', element.type],
    ['package', element.package],
    ['role', element.role],
    ['bounds', element.bounds?.join(', ') ?? null],
    ['path', element.node_path],
    ['is', FLAGS.filter((flag) => element[flag]).join(', ')],
  ]
  return texts.flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : []))
}
