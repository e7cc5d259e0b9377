import { useSignal } from '@preact/signals'
import { AbilityRunState, listAbilityRuns } from '@apprentice/contracts/abilities/runs.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, Pager, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { formatDuration } from '../parts/format.ts'
import { sayFailure } from '../text/say.ts'
import { formatName, t } from '../text/text.ts'

const PAGE_SIZE = 20

/** The user's runs of an ability, newest first. Each has its own page. */
export function RunList({ abilityId }: { readonly abilityId: string }) {
  const page = useSignal(1)
  const state = useSignal<AbilityRunState | ''>('')
  const query = { page: page.value, page_size: PAGE_SIZE, ...(state.value !== '' && { state: state.value }) }
  const { data } = useResource(
    `${abilityId}/runs/${page.value}/${state.value}`,
    () => call(listAbilityRuns, { params: { abilityId }, query }),
    { changesWith: ['ability.'] },
  )
  const { runs = [], total = 0 } = data.value ?? {}
  return (
    <>
      <div class="toolbar">
        <select
          aria-label={t.ability.outcome}
          value={state.value}
          onChange={({ currentTarget }) => {
            state.value = currentTarget.value as AbilityRunState | ''
            page.value = 1
          }}
        >
          <option value="">{t.ability.allRuns}</option>
          {AbilityRunState.options.map((name) => (
            <option key={name} value={name}>
              {formatName(name)}
            </option>
          ))}
        </select>
      </div>
      {data.value === undefined && <Skeleton />}
      {data.value !== undefined && total === 0 && (
        <Empty icon="play" title={state.value === '' ? t.ability.noRuns : t.ability.noRunsWith} />
      )}
      <ul class="rows runs">
        {runs.map(({ run_id, state: outcome, created_at, settled_at, version, trouble }) => (
          <li key={run_id} class="panel">
            <a href={`/runs/${run_id}`}>
              <StateBadge state={outcome} /> <Time at={created_at} />
            </a>
            <small>{t.ability.version(version)}</small>
            {settled_at !== undefined && (
              <small>{formatDuration(Date.parse(settled_at) - Date.parse(created_at))}</small>
            )}
            {trouble !== undefined && <small class="why">{t.run.troubles[trouble.code] ?? sayFailure(trouble)}</small>}
          </li>
        ))}
      </ul>
      <Pager page={page.value} pages={Math.ceil(total / PAGE_SIZE)} onPage={(next) => (page.value = next)} />
    </>
  )
}
