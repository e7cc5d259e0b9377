import { z } from 'zod'
import { Capability } from './recipe.ts'

/** A package name, or a prefix such as `com.example.*`. */
const PackagePattern = z
  .string()
  .max(255)
  .regex(/^[A-Za-z]\w*(\.\w+)*(\.\*)?$/)

/**
 * What may be executed for a user. An absent list allows everything, except `purchase_risk`, which `allow_capabilities`
 * must name. Denied entries take precedence over allowed ones.
 */
export const PolicyProfile = z
  .strictObject({
    name: z.string().min(1).max(120),
    allow_capabilities: z.array(Capability).max(7).optional(),
    deny_capabilities: z.array(Capability).max(7).optional(),
    allow_packages: z.array(PackagePattern).max(200).optional(),
    deny_packages: z.array(PackagePattern).max(200).optional(),
  })
  .meta({ id: 'PolicyProfile' })
export type PolicyProfile = z.infer<typeof PolicyProfile>
