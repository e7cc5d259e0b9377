import { useSignal } from '@preact/signals'
import type { z } from 'zod'
import type { LearnSessionDetail } from '@apprentice/contracts/learn/runtime.ts'
import { setTestPolicy } from '@apprentice/contracts/learn/sessions.ts'
import { TestPolicyMode, type TestPolicy } from '@apprentice/contracts/learn/test-policy.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Field } from '../parts/basic.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { t } from '../text/text.ts'

interface PolicyProps {
  readonly detail: Pick<LearnSessionDetail, 'session' | 'test_policy' | 'allowed_actions'>
  readonly onSaved?: () => Promise<void>
}

/** The policy of tests in one sentence, with a form to change it. */
export function PolicyForm({ detail, onSaved }: PolicyProps) {
  const isOpen = useSignal(false)
  const saved = useSignal<TestPolicy | undefined>(undefined)
  const policy = saved.value ?? detail.test_policy
  const canChange = detail.allowed_actions.includes('set_test_policy')
  return (
    <p class="policy">
      <b>{t.teach.policy.title}:</b>{' '}
      {policy === undefined
        ? t.teach.policy.none
        : t.teach.policy.sentence(t.teach.policy.modes[policy.mode], policy.max_actions)}{' '}
      {canChange && (
        <button type="button" class="link" onClick={() => (isOpen.value = true)}>
          {t.teach.policy.change}
        </button>
      )}
      {isOpen.value && (
        <PolicyDialog
          policy={policy}
          sessionId={detail.session.learn_session_id}
          onSaved={async (next) => {
            saved.value = next
            await onSaved?.()
          }}
          onClose={() => (isOpen.value = false)}
        />
      )}
    </p>
  )
}

interface DialogProps {
  readonly policy: TestPolicy | undefined
  readonly sessionId: string
  readonly onSaved: (policy: TestPolicy) => Promise<void>
  readonly onClose: () => void
}

type Mode = z.infer<typeof TestPolicyMode>

function PolicyDialog({ policy, sessionId, onSaved, onClose }: DialogProps) {
  const draft = useSignal<TestPolicy>({
    policy_id: crypto.randomUUID(),
    mode: policy?.mode ?? 'read_only',
    safe_targets: policy?.safe_targets ?? [],
    forbid_destructive_writes: policy?.forbid_destructive_writes ?? true,
    forbid_external_send: policy?.forbid_external_send ?? true,
    allowed_domains: policy?.allowed_domains ?? [],
    max_actions: policy?.max_actions ?? 40,
    cleanup_required: policy?.cleanup_required ?? false,
    schema_version: 1,
  })
  const change = (part: Partial<TestPolicy>) => (draft.value = { ...draft.value, ...part })
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    event.stopPropagation()
    const save = async (): Promise<void> => {
      await call(setTestPolicy, { params: { sessionId }, body: { test_policy: draft.value } })
      await onSaved(draft.value)
    }
    if (await attempt(save)) onClose()
  }
  return (
    <Dialog title={t.teach.policy.title} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <Field label={t.teach.policy.mode}>
          <select
            value={draft.value.mode}
            onChange={({ currentTarget }) => change({ mode: currentTarget.value as Mode })}
          >
            {TestPolicyMode.options.map((mode) => (
              <option key={mode} value={mode}>
                {t.teach.policy.modes[mode]}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t.teach.policy.max}>
          <input
            type="number"
            required
            min={1}
            max={200}
            value={draft.value.max_actions}
            onInput={({ currentTarget }) => change({ max_actions: currentTarget.valueAsNumber })}
          />
        </Field>
        <label class="check">
          <input
            type="checkbox"
            checked={draft.value.forbid_destructive_writes}
            onChange={({ currentTarget }) => change({ forbid_destructive_writes: currentTarget.checked })}
          />
          {t.teach.policy.destructive}
        </label>
        <label class="check">
          <input
            type="checkbox"
            checked={draft.value.forbid_external_send}
            onChange={({ currentTarget }) => change({ forbid_external_send: currentTarget.checked })}
          />
          {t.teach.policy.external}
        </label>
        <div class="buttons end">
          <button type="button" onClick={onClose}>
            {t.common.cancel}
          </button>
          <button class="primary">{t.teach.policy.save}</button>
        </div>
      </form>
    </Dialog>
  )
}
