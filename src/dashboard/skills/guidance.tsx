import { getSkillText } from '@apprentice/contracts/abilities/availability.ts'
import { call } from '../api/client.ts'
import { useResource } from '../api/resource.ts'
import { ReadFailure, Skeleton } from '../parts/basic.tsx'
import { Markdown } from '../parts/markdown.tsx'
import { t } from '../text/text.ts'

/** The document of an ability that is followed by hand. Nothing can run it. */
export function Guidance({ abilityId }: { readonly abilityId: string }) {
  const { data, failure, reload } = useResource(
    `guidance/${abilityId}`,
    () => call(getSkillText, { params: { abilityId } }),
    { changesWith: ['ability.'] },
  )
  if (failure.value !== undefined) return <ReadFailure message={failure.value} onRetry={() => void reload()} />
  if (data.value === undefined) return <Skeleton rows={5} />
  return (
    <section class="panel">
      <p class="hint">{t.ability.guidance}</p>
      <Markdown source={data.value} under={1} />
    </section>
  )
}
