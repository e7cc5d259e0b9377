import { z } from 'zod'
import { Serial } from '../base/fields.ts'
import { Capability } from './capability.ts'

/** A package name, or a prefix such as `com.example.*`. */
const PackagePattern = z
  .string()
  .max(255)
  .regex(/^[A-Za-z]\w*(\.\w+)*(\.\*)?$/)

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/)

export const Weekday = z.enum(['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'])
export type Weekday = z.infer<typeof Weekday>

export const PolicyHours = z
  .strictObject({
    time_zone: z
      .string()
      .max(64)
      .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
      .default('UTC')
      .describe('The IANA time zone of the windows'),
    windows: z
      .array(
        z.strictObject({
          days: z.array(Weekday).min(1).max(7).optional().describe('The days on which it starts; absent: every day'),
          from: TimeOfDay,
          to: TimeOfDay.describe('The end, which is not part of it; not later than `from`: on the next day'),
        }),
      )
      .min(1)
      .max(50),
  })
  .meta({ id: 'PolicyHours' })
export type PolicyHours = z.infer<typeof PolicyHours>

function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** `consent`: the request that starts the work must name `purchase_risk` in `allow_capabilities`. */
export const PurchaseRule = z.enum(['deny', 'consent', 'allow'])
export type PurchaseRule = z.infer<typeof PurchaseRule>

/**
 * What may be done on devices. An absent list allows everything. Denied entries take precedence over allowed ones.
 * Without `purchase_risk` a purchase needs consent, or, if there is `allow_capabilities`, an entry in it.
 */
export const PolicyProfile = z
  .strictObject({
    name: z.string().min(1).max(120),
    allow_capabilities: z.array(Capability).max(7).optional(),
    deny_capabilities: z.array(Capability).max(7).optional(),
    allow_packages: z.array(PackagePattern).max(200).optional(),
    deny_packages: z.array(PackagePattern).max(200).optional(),
    purchase_risk: PurchaseRule.optional(),
    allow_devices: z.array(Serial).max(200).optional(),
    deny_devices: z.array(Serial).max(200).optional(),
    hours: PolicyHours.optional().describe('When work may start; absent: at any time'),
  })
  .meta({ id: 'PolicyProfile' })
export type PolicyProfile = z.infer<typeof PolicyProfile>

/** The part of a profile that refused. */
export const PolicyRule = z.enum(['capabilities', 'purchase_risk', 'packages', 'devices', 'hours'])
export type PolicyRule = z.infer<typeof PolicyRule>

/** What a request may say about its own work. It restricts the profiles of the operator and never extends them. */
export const callerPolicyFields = {
  policy: PolicyProfile.optional().describe('A profile that restricts this work in addition to those of the operator'),
}
