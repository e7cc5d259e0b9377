import { useSignal } from '@preact/signals'
import { retainObservations } from '@apprentice/contracts/learn/observation.ts'
import { type LearnHistoryItem, listHistory } from '@apprentice/contracts/learn/runtime.ts'
import { deleteSession } from '@apprentice/contracts/learn/sessions.ts'
import { attempt, notify } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Empty, Pager, Skeleton, StateBadge, Time } from '../parts/basic.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'

const PAGE_SIZE = 20

/** How long the raw actions of lessons are kept. */
export function RetentionPanel() {
  const page = useSignal(1)
  const deleting = useSignal<LearnHistoryItem | undefined>(undefined)
  const { data, reload } = useResource(
    `retention/${page.value}`,
    () => call(listHistory, { query: { page: page.value, page_size: PAGE_SIZE } }),
    { changesWith: ['learn.session.'] },
  )
  if (data.value === undefined) return <Skeleton />
  const { items, total } = data.value
  const retain = (sessionId: string, isKept: boolean) =>
    attempt(async () => {
      await call(retainObservations, { params: { sessionId }, body: { retain: isKept } })
      notify(isKept ? t.settings.kept : t.settings.expires)
    }, reload)
  const nameLesson = ({ title, entry_mode }: LearnHistoryItem): string => title ?? t.learn.modes[entry_mode]
  return (
    <section class="panel">
      <h2>{t.settings.retention}</h2>
      <p class="hint">{t.settings.retentionHint}</p>
      {total === 0 && <Empty icon="clock" title={t.settings.noSessions} />}
      <ul class="plain lines">
        {items.map((item) => (
          <li key={item.learn_session_id}>
            <strong>{nameLesson(item)}</strong> <StateBadge state={item.state} /> <Time at={item.created_at} />
            <span class="spacer" />
            <button
              type="button"
              aria-label={t.settings.keepOf(nameLesson(item))}
              onClick={() => void retain(item.learn_session_id, true)}
            >
              {t.settings.keep}
            </button>
            <button
              type="button"
              aria-label={t.settings.expireOf(nameLesson(item))}
              onClick={() => void retain(item.learn_session_id, false)}
            >
              {t.settings.expire}
            </button>
            <button
              type="button"
              class="danger quiet"
              aria-label={t.settings.deleteOf(nameLesson(item))}
              onClick={() => (deleting.value = item)}
            >
              {t.settings.remove}
            </button>
          </li>
        ))}
      </ul>
      <Pager page={page.value} pages={Math.ceil(total / PAGE_SIZE)} onPage={(next) => (page.value = next)} />
      {deleting.value !== undefined && (
        <Confirm
          title={t.settings.deleteTitle(nameLesson(deleting.value))}
          text={t.settings.deleteText}
          action={t.settings.deleteSession}
          onConfirm={() => {
            const sessionId = deleting.value?.learn_session_id ?? ''
            void attempt(() => call(deleteSession, { params: { sessionId } }), reload)
          }}
          onClose={() => (deleting.value = undefined)}
        />
      )}
    </section>
  )
}
