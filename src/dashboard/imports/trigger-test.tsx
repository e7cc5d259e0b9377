import { useSignal } from '@preact/signals'
import type { z } from 'zod'
import { testTrigger } from '@apprentice/contracts/skills/imports.ts'
import { attempt } from '../app/notices.tsx'
import { call } from '../api/client.ts'
import { Badge, Field } from '../parts/basic.tsx'
import { t } from '../text/text.ts'

/** Tests whether a sentence would lead an agent to the imported skill. */
export function TriggerTest({ importId }: { readonly importId: string }) {
  const words = useSignal('')
  const result = useSignal<z.output<typeof testTrigger.reply> | undefined>(undefined)
  const submit = (event: Event) => {
    event.preventDefault()
    return attempt(async () => {
      const body = { import_id: importId, trigger_text: words.value.trim() }
      result.value = await call(testTrigger, { body })
    })
  }
  return (
    <section class="part">
      <h3>{t.imports.triggerTest}</h3>
      <form class="inline-form" onSubmit={(event) => void submit(event)}>
        <Field label={t.imports.triggerText}>
          <input
            name="trigger"
            required
            maxLength={2000}
            value={words.value}
            onInput={({ currentTarget }) => (words.value = currentTarget.value)}
          />
        </Field>
        <button>{t.imports.testIt}</button>
      </form>
      {result.value !== undefined && (
        <p role="status">
          <Badge tone={result.value.matched ? 'good' : 'bad'}>
            {result.value.matched ? t.imports.matched : t.imports.notMatched}
          </Badge>{' '}
          <small>{[...result.value.reasons, ...result.value.rejection_reasons].join(' ')}</small>
        </p>
      )}
    </section>
  )
}
