import { z } from 'zod'
import { Capability } from './recipe.ts'

/** A package, or all below a prefix: `com.example.*`. */
const PackagePattern = z
  .string()
  .max(255)
  .regex(/^[A-Za-z]\w*(\.\w+)*(\.\*)?$/)

/**
 * What may be done on somebody's behalf. A list that is absent allows all, but a purchase is never
 * allowed unless `allow_capabilities` names it. What is denied stays denied.
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
