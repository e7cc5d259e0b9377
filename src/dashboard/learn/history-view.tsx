import { useSignal } from '@preact/signals'
import { type LearnHistoryItem, listHistory } from '@apprentice/contracts/learn/runtime.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, Pager, ReadFailure, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { t } from '../text/text.ts'
import { SETTLED_STATES } from './current-session.ts'

const PAGE_SIZE = 20

export function HistoryView() {
  const page = useSignal(1)
  const { data, failure, reload } = useResource(
    `history/${page.value}`,
    () => call(listHistory, { query: { page: page.value, page_size: PAGE_SIZE } }),
    { changesWith: ['learn.session.'] },
  )
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton />
  const { items, total } = data.value
  if (total === 0) {
    return (
      <Empty icon="clock" title={t.history.none}>
        <a href="/learn/new">{t.session.startOne}</a>
      </Empty>
    )
  }
  return (
    <>
      <ul class="rows history">
        {items.map((item) => (
          <Row key={item.learn_session_id} item={item} />
        ))}
      </ul>
      <Pager page={page.value} pages={Math.ceil(total / PAGE_SIZE)} onPage={(next) => (page.value = next)} />
    </>
  )
}

/** The ability that a lesson led to, or the lesson itself while it goes on. */
function findPlace({ ability_id, learn_session_id, state }: LearnHistoryItem): string | undefined {
  if (ability_id !== undefined) return `/skills/${encodeURIComponent(ability_id)}`
  return SETTLED_STATES.has(state) ? undefined : `/learn/active/${learn_session_id}`
}

/** The state says how a session ended, so the outcome is left out once it has one. */
function Row({ item }: { readonly item: LearnHistoryItem }) {
  const place = findPlace(item)
  const title = item.title ?? t.learn.modes[item.entry_mode]
  return (
    <li class="panel">
      <strong>{place === undefined ? title : <a href={place}>{title}</a>}</strong>
      <StateBadge state={item.state} />
      <small>{t.learn.modes[item.entry_mode]}</small>
      <small>
        <Time at={item.completed_at ?? item.created_at} />
      </small>
    </li>
  )
}
