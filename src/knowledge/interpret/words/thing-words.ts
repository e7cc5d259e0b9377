/** Words for things, states and measures that apps speak of. A row of data may be called so, but no person. */
const LINES = [
  'activity ad adult adults alarm always am amounts anytime assign assigned assignee away bank bill bills bin body breakfast',
  'budget budgets business calculate canned carrier cart cash categories change children choose city class coffee collection',
  'confirmation confirmed contains cooking counter credit daily deliveries deposit destination dinner direction distance drag',
  'dish dishes drive eco energy episode episodes evening every everyone everything exercise exercises exit expires fee few',
  'fewer final fixed flight flights food good luck frequency friday from goals guest handle heat heating hotel hotels hourly include',
  'ingredient ingredients instant internet invoice issued job jobs kids kind labels latest length limit limits lists live local',
  'lunch main mains mark marked meal meals measurement measurements method midday minimum mobile monday money morning move moved',
  'never night none normal number offer offers office once open opening option other outside package parcel parcels parking',
  'passenger passengers payee payees people percent percentage period person persons piece pieces place plan planned plans',
  'playback please pm popular portion preparing primary quick reached reference refunded region regular remind remaining rename',
  'reorder repeat repeats reps requester restaurant restaurants ride routine saturday savings search seat seats select send',
  'serving servings set shipped shows sign single sleep snack snooze software solved song songs sponsored spending standard',
  'standing station stay stays stock street sunday supplies taxi temperature thursday tickets tip title today top training train',
  'transit travel trips tuesday type unassigned undo undone unit unreported until urgent value vehicle view visit visits volume',
  'accepted airplane approved arrived arrives begins big cancelled closes declined departed depart departs ended ends entry expired',
  'get gets got good great halted issue keyboard luck near nearby picked pick plays played playing preparing progress queued ready',
  'rejected replies reply ringing ringtone running see seen silence started starts stops tone tracked tracking waiting won',
  'auto available backlight bluetooth brightness caption captions climate contrast cover dark data device devices display dock font formatting gesture',
  'gestures hotspot keypad language languages layout level levels location lock network networks orientation permission permissions',
  'power quality resolution reminders saver saving scale screen shortcut shortcuts sim size sizes sound sounds storage sync theme themes',
  'timeout timer timers timezone tint tones usage vibrate vibration wallpaper widget widgets wifi wireless',
  'wednesday weekday weekdays weekend weekends weight workout workouts zone',
]

export const THING_WORDS: ReadonlySet<string> = new Set(LINES.flatMap((line) => line.split(' ')))
