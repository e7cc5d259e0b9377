import type { ComponentChildren } from 'preact'
import { formatName, t } from '../text/text.ts'
import { chooseTone, formatAgo, formatDateTime, type Tone } from './format.ts'
import { Icon, type IconName } from './icon.tsx'

const TONE_ICONS = { good: 'done', bad: 'failed', busy: 'clock', plain: 'circle' } as const satisfies Readonly<
  Record<Tone, IconName>
>

interface BadgeProps {
  readonly tone?: Tone
  /** In place of the icon of the tone. */
  readonly icon?: IconName
  readonly children: ComponentChildren
}

/** A small label with a state. Icon and text carry the meaning; the colour only supports them. */
export function Badge({ tone = 'plain', icon = TONE_ICONS[tone], children }: BadgeProps) {
  return (
    <span class={`badge ${tone}`}>
      {icon !== TONE_ICONS.plain && <Icon name={icon} size={12} />}
      {children}
    </span>
  )
}

/** The name of a wire state with its tone. */
export const StateBadge = ({ state }: { readonly state: string }) => (
  <Badge tone={chooseTone(state)}>{formatName(state)}</Badge>
)

/** A relative time; the full one is displayed on hover. */
export const Time = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={formatDateTime(at)}>
    {formatAgo(at)}
  </time>
)

interface EmptyProps {
  readonly icon: IconName
  readonly title: string
  readonly children?: ComponentChildren
}

/** Says that there is nothing here, and what to do next. */
export const Empty = ({ icon, title, children }: EmptyProps) => (
  <div class="empty">
    <Icon name={icon} size={32} />
    <p class="empty-title">{title}</p>
    {children}
  </div>
)

/** A failure to read what this place displays, with a way to try again. */
export const ReadFailure = ({ message, onRetry }: { readonly message: string; readonly onRetry: () => void }) => (
  <div class="failure" role="alert">
    <Icon name="alert" />
    <p>{message}</p>
    <button type="button" onClick={onRetry}>
      {t.common.tryAgain}
    </button>
  </div>
)

/** Grey bars in place of content that is being read. They appear after a moment. */
export const Skeleton = ({ rows = 3 }: { readonly rows?: number }) => (
  <div class="skeleton" role="status" aria-label={t.common.loading}>
    {Array.from({ length: rows }, (_, at) => (
      <span key={at} />
    ))}
  </div>
)

interface FieldProps {
  readonly label: string
  readonly hint?: string | undefined
  readonly error?: string | undefined
  readonly children: ComponentChildren
}

/** A labelled form control with its hint and the message of a refusal. */
export const Field = ({ label, hint, error, children }: FieldProps) => (
  <label class={error === undefined ? 'field' : 'field invalid'}>
    <span class="field-label">{label}</span>
    {children}
    {hint !== undefined && <small class="hint">{hint}</small>}
    {error !== undefined && (
      <small class="error" role="alert">
        {error}
      </small>
    )}
  </label>
)

interface PagerProps {
  readonly page: number
  readonly pages: number
  readonly onPage: (page: number) => void
}

export function Pager({ page, pages, onPage }: PagerProps) {
  if (pages <= 1) return null
  return (
    <nav class="pager" aria-label={t.common.pages}>
      <button type="button" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        {t.common.newer}
      </button>
      <span>{t.common.pageOf(page, pages)}</span>
      <button type="button" disabled={page >= pages} onClick={() => onPage(page + 1)}>
        {t.common.older}
      </button>
    </nav>
  )
}
