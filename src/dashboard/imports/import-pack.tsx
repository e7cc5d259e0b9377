import { listSkillPacks } from '@apprentice/contracts/skills/imports.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { Field } from '../parts/basic.tsx'
import { t } from '../text/text.ts'

interface ImportPackProps {
  readonly suggested: string | undefined
  readonly value: string | undefined
  readonly onChange: (packId: string | undefined) => void
}

/** The pack that the skill is unpacked into. */
export function ImportPack({ suggested, value, onChange }: ImportPackProps) {
  const packs = useResource('packs', () => call(listSkillPacks)).data.value?.packs ?? []
  if (packs.length === 0) return null
  return (
    <Field label={t.imports.pack}>
      <select
        value={value ?? ''}
        onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? undefined : currentTarget.value)}
      >
        <option value="">{t.imports.noPack}</option>
        {packs.map(({ pack_id, title }) => (
          <option key={pack_id} value={pack_id}>
            {pack_id === suggested ? t.imports.suggested(title) : title}
          </option>
        ))}
      </select>
    </Field>
  )
}
