import type { PolicyProfile } from '@apprentice/contracts/policy/profile.ts'
import { Facts } from '../parts/facts.tsx'
import { formatName, t } from '../text/text.ts'

/** What a profile allows, in words. */
export function ProfileFacts({ profile }: { readonly profile: PolicyProfile }) {
  const list = (names: readonly string[] | undefined): string | undefined => names?.map(formatName).join(', ')
  return (
    <Facts
      facts={[
        [t.settings.allows, list(profile.allow_capabilities) ?? t.settings.everything],
        [t.settings.denies, list([...(profile.deny_capabilities ?? []), ...(profile.deny_packages ?? [])])],
        [t.settings.apps, profile.allow_packages?.join(', ')],
        [t.settings.purchases, t.settings.purchaseRules[profile.purchase_risk ?? 'consent']],
      ]}
    />
  )
}
