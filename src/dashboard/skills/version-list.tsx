import { useSignal } from '@preact/signals'
import { compareVersions, listVersions, rollbackAbility } from '@apprentice/contracts/abilities/installs.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Skeleton, Time } from '../parts/basic.tsx'
import { DiffView } from '../parts/diff-view.tsx'
import { formatName, t } from '../text/text.ts'

interface VersionListProps {
  readonly abilityId: string
  readonly onChanged: () => Promise<void>
}

/** The installed versions, newest first, each with what it changed. An earlier one can be installed again. */
export function VersionList({ abilityId, onChanged }: VersionListProps) {
  const params = { abilityId }
  const { data, reload } = useResource(`${abilityId}/versions`, () => call(listVersions, { params }), {
    changesWith: ['ability.', 'learn.install.'],
  })
  if (data.value === undefined) return <Skeleton />
  const rollback = (version: number) =>
    attempt(async () => {
      await call(rollbackAbility, { params, body: { version } })
      await onChanged()
    }, reload)
  return (
    <ul class="rows">
      {data.value.versions.toReversed().map(({ version, current, installed_at, install_lane, restored_from }) => (
        <li key={version} class="panel">
          <strong>{t.ability.version(version)}</strong>
          {current && <Badge tone="good">{t.ability.current}</Badge>}
          {restored_from !== undefined && <small>{t.ability.restoredFrom(restored_from)}</small>}
          <small>{formatName(install_lane)}</small>
          <small>
            <Time at={installed_at} />
          </small>
          <span class="spacer" />
          {!current && (
            <button type="button" aria-label={t.ability.rollbackOf(version)} onClick={() => void rollback(version)}>
              {t.ability.rollback}
            </button>
          )}
          <Changes abilityId={abilityId} version={version} />
        </li>
      ))}
    </ul>
  )
}

/** Compared with the version before it, read when it is opened. */
function Changes({ abilityId, version }: { readonly abilityId: string; readonly version: number }) {
  const isOpen = useSignal(false)
  return (
    <details class="wide" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
      <summary>{t.ability.compare(version)}</summary>
      {isOpen.value && <Difference abilityId={abilityId} version={version} />}
    </details>
  )
}

function Difference({ abilityId, version }: { readonly abilityId: string; readonly version: number }) {
  const { data, failure } = useResource(`${abilityId}/${version}`, () =>
    call(compareVersions, { params: { abilityId, version }, query: {} }),
  )
  if (failure.value !== undefined) return <p class="error">{failure.value}</p>
  if (data.value === undefined) return <Skeleton />
  const { from, diffs } = data.value
  if (from === undefined) return <p class="hint">{t.ability.firstVersion}</p>
  const changed = diffs.filter(({ diff }) => diff !== '')
  if (changed.length === 0) return <p class="hint">{t.ability.noDifference}</p>
  return (
    <>
      {changed.map(({ name, diff }) => (
        <section key={name}>
          <h3>{name}</h3>
          <DiffView diff={diff} />
        </section>
      ))}
    </>
  )
}
