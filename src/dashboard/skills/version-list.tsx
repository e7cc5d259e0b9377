import { listVersions, rollbackAbility } from '@apprentice/contracts/abilities/installs.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Badge, Skeleton, Time } from '../parts/basic.tsx'
import { t } from '../text/text.ts'

interface VersionListProps {
  readonly abilityId: string
  readonly onChanged: () => Promise<void>
}

/** The installed versions, newest first. An earlier one can be installed again. */
export function VersionList({ abilityId, onChanged }: VersionListProps) {
  const params = { abilityId }
  const { data, reload } = useResource(`${abilityId}/versions`, () => call(listVersions, { params }), {
    changesWith: ['ability.'],
  })
  if (data.value === undefined) return <Skeleton />
  const rollback = (version: number) =>
    attempt(async () => {
      await call(rollbackAbility, { params, body: { version } })
      await onChanged()
    }, reload)
  return (
    <ul class="rows">
      {data.value.versions.toReversed().map(({ version, current, installed_at, restored_from }) => (
        <li key={version} class="panel">
          <strong>{t.ability.version(version)}</strong>
          {current && <Badge tone="good">{t.ability.current}</Badge>}
          {restored_from !== undefined && <small>{t.ability.restoredFrom(restored_from)}</small>}
          <small>
            <Time at={installed_at} />
          </small>
          {!current && (
            <button type="button" onClick={() => void rollback(version)}>
              {t.ability.rollback}
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
