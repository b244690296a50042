// Pictures of every page in light, dark and on a phone: node shoot.mjs
import { House } from './house.mjs';
import { breakSubscriber, fillConversation, fillInbox, fillLedger, fillRuns } from './fill.mjs';

const house = await new House().open();
try {
  const { client } = house;
  breakSubscriber(house.daemon);
  await fillConversation(client);
  await client.askPerson('research', 'confirmation', 'May I write into accounts/2026-03.csv?', { tool_name: 'write_file', arguments: { path: 'accounts/2026-03.csv', rows: 1 } });
  const { lead } = await fillRuns(client);
  await fillLedger(client);
  const kinds = [['light', { colorScheme: 'light' }], ['dark', { colorScheme: 'dark' }],
    ['phone', { colorScheme: 'light', viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true }]];
  for (const [kind, options] of kinds) {
    const page = await house.visit('#/overview', await house.newContext(options));
    if (kind === 'light') await fillInbox(client);
    await page.waitForTimeout(1200);
    await house.picture(page, `${kind}-toasts`);
    for (const close of await page.locator('.toast:not(.asks) button[aria-label^=Dismiss]').all()) await close.click().catch(() => {});
    await page.waitForTimeout(kind === 'light' ? 9000 : 4000);
    await house.picture(page, `${kind}-overview`);
    const go = async (hash, name, act) => {
      await page.evaluate((to) => { location.hash = to; }, hash);
      await page.waitForTimeout(900);
      if (act) await act();
      await house.picture(page, `${kind}-${name}`);
    };
    await go('#/inbox', 'inbox', async () => { if (kind !== 'phone') { await page.keyboard.press('j'); await page.keyboard.press('j'); await page.keyboard.press('Enter'); await page.waitForTimeout(300); } });
    await go('#/conversation/research', 'conversation', async () => { await page.locator('.pill summary').first().click(); if (kind !== 'phone') await page.getByRole('button', { name: 'Branches' }).click(); await page.waitForTimeout(300); });
    await go(`#/runs/${lead.id}`, 'run');
    await go(`#/runs/${lead.id}?view=timeline`, 'timeline');
    await go('#/ledger', 'ledger', async () => { if (kind !== 'phone') { await page.keyboard.press('j'); await page.waitForTimeout(500); } });
    await go('#/ledger?tab=dead', 'dead');
    await go('#/subscribers', 'subscribers');
    await page.close();
  }
  console.log('strangers', house.strangers, 'mistakes', house.mistakes);
} finally {
  await house.close();
}
