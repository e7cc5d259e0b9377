import { useSignal } from '@preact/signals'
import { createLoginCode, endLogin, type Login } from '@apprentice/contracts/admin/tokens.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Badge, Time } from '../parts/basic.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { formatDateTime } from '../parts/format.ts'
import { t } from '../text/text.ts'

interface LoginListProps {
  readonly logins: readonly Login[]
  readonly onChanged: () => Promise<void>
}

export function LoginList({ logins, onChanged }: LoginListProps) {
  const ending = useSignal<string | undefined>(undefined)
  const link = useSignal<string | undefined>(undefined)
  const end = (loginId: string) => attempt(() => call(endLogin, { params: { loginId } }), onChanged)
  const createLink = () =>
    attempt(async () => {
      const { login_url } = await call(createLoginCode, { body: {} })
      link.value = new URL(login_url, location.origin).href
    })
  return (
    <section class="panel">
      <h2>{t.settings.logins}</h2>
      <ul class="plain lines">
        {logins.map(({ login_id, user_id, privilege, current, created_at, expires_at }) => (
          <li key={login_id}>
            <strong>{user_id}</strong> <Badge>{t.settings.privileges[privilege]}</Badge>
            {current && <Badge tone="good">{t.settings.thisBrowser}</Badge>} <Time at={created_at} />
            <small>
              {t.settings.until} {formatDateTime(expires_at)}
            </small>
            <span class="spacer" />
            <button
              type="button"
              aria-label={t.settings.endLoginOf(user_id, formatDateTime(created_at))}
              onClick={() => (current ? (ending.value = login_id) : void end(login_id))}
            >
              {t.settings.endLogin}
            </button>
          </li>
        ))}
      </ul>
      <div class="buttons">
        <button type="button" onClick={() => void createLink()}>
          {t.settings.newLink}
        </button>
        <small>{t.settings.linkHint}</small>
      </div>
      {link.value !== undefined && (
        <p class="success" role="status">
          <code>{link.value}</code> <CopyButton text={link.value} name={t.settings.newLink} />
        </p>
      )}
      {ending.value !== undefined && (
        <Confirm
          title={t.settings.endOwnTitle}
          text={t.settings.endOwnText}
          action={t.settings.endLogin}
          onConfirm={() => void end(ending.value ?? '')}
          onClose={() => (ending.value = undefined)}
        />
      )}
    </section>
  )
}
